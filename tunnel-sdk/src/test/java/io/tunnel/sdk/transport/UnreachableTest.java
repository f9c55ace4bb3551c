package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class UnreachableTest {

  @Test
  void what_sockets_and_netty_say_becomes_words() {
    String refused = "finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:1";
    assertThat(Unreachable.why(new ConnectException(refused))).isEqualTo("connection refused");
    assertThat(Unreachable.why(new ConnectException("Connection refused: localhost/127.0.0.1:1")))
        .isEqualTo("connection refused");
    assertThat(Unreachable.why(new UnknownHostException("nohost: Name or service not known")))
        .isEqualTo("the host name is unknown");
    assertThat(Unreachable.why(new NoRouteToHostException("No route to host: a/10.0.0.1:1")))
        .isEqualTo("there is no route to the host");
    assertThat(
            Unreachable.why(
                new ConnectException(
                    "connect(..) failed with error(-101): Network is unreachable: /10.0.0.1:7650")))
        .isEqualTo("Network is unreachable");
    assertThat(Unreachable.why(new IllegalStateException("the server is too old")))
        .isEqualTo("the server is too old");
  }
}
