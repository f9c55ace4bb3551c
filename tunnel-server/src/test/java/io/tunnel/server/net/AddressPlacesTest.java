package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Control.TableList;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The connections of one address, over sockets. */
final class AddressPlacesTest {

  private static final int OF_ADDRESS_MAX = 3;

  @TempDir private Path directory;

  private static NetLimits limits() {
    NetLimits all = NetLimits.DEFAULT;
    return new NetLimits(
        all.frameMsMax(),
        all.partialBytesMax(),
        all.requestsMax(),
        all.requestBytesMax(),
        all.answerBytesMax(),
        all.connectionAnswerBytesMax(),
        all.httpConnectionsMax(),
        OF_ADDRESS_MAX,
        all.idleMsMax(),
        all.principalMetricsMax());
  }

  private static void requireServed(RawClient client) throws IOException {
    assertThat(client.granted(Operation.LIST_TABLES, new Empty(), TableList.class).tables())
        .contains("mine");
  }

  /** The last words that a connection is told which says nothing. */
  private static ErrorPayload refused(TestNode node) throws IOException {
    try (Socket socket = new Socket(node.address().getAddress(), node.address().getPort())) {
      byte[] said = socket.getInputStream().readAllBytes();
      return ErrorPayload.decode(Arrays.copyOfRange(said, Frame.HEADER_BYTES, said.length));
    }
  }

  private static boolean isServed(TestNode node) {
    try (RawClient next = node.client()) {
      requireServed(next);
      return true;
    } catch (IOException | AssertionError e) {
      return false;
    }
  }

  @Test
  void asManyAsOneAddressMayHaveAreServedOneMoreIsToldWhyNotAndIsServedWhenOneHasGone()
      throws IOException {
    try (TestNode node = TestNode.reading(directory, limits());
        RawClient first = node.client();
        RawClient second = node.client()) {
      try (RawClient third = node.client()) {
        ErrorPayload word = refused(node);
        assertThat(word.code()).isEqualTo(ErrorCode.BUSY);
        assertThat(word.message())
            .contains("net.limits.connectionsPerAddressMax = " + OF_ADDRESS_MAX);
        for (RawClient each : List.of(first, second, third)) {
          requireServed(each);
        }
      }
      for (int tries = 1; !isServed(node); tries++) {
        assertThat(tries).as("the place of the one that has gone is given").isLessThan(10_000);
      }
      requireServed(first);
      requireServed(second);
    }
  }
}
