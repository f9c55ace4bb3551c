package io.tunnel.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The network that tests of faults break. */
class TcpProxyTest {

  @RegisterExtension final Stage stage = new Stage();

  private final ServerSocket target = listen();
  private final TcpProxy proxy = new TcpProxy(target.getLocalPort());
  private Socket near;
  private Socket far;

  private static ServerSocket listen() {
    try {
      return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void connect() throws IOException {
    near = stage.closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
    far = stage.closing(target.accept());
    stage.closes(target);
    stage.closes(proxy);
  }

  private static int read(Socket socket) throws IOException {
    return socket.getInputStream().read();
  }

  @Test
  void what_is_sent_arrives_in_both_directions_and_so_does_the_end() throws IOException {
    connect();
    near.getOutputStream().write(1);
    far.getOutputStream().write(2);
    assertThat(read(far)).isEqualTo(1);
    assertThat(read(near)).isEqualTo(2);
    near.close();
    assertThat(read(far)).isEqualTo(-1);
  }

  @Test
  void what_is_held_arrives_when_the_network_carries_again() throws IOException {
    connect();
    proxy.hold();
    near.getOutputStream().write(1);
    far.setSoTimeout(100);
    assertThatThrownBy(() -> read(far)).isInstanceOf(SocketTimeoutException.class);
    far.setSoTimeout(0);
    proxy.resume();
    assertThat(read(far)).isEqualTo(1);
  }

  @Test
  void what_was_sent_arrives_though_its_sender_has_closed_and_nobody_hears_the_answer()
      throws IOException {
    connect();
    proxy.hold();
    near.getOutputStream().write(1);
    near.close();
    far.getOutputStream().write(2);
    proxy.resume();
    assertThat(read(far)).isEqualTo(1);
    far.getOutputStream().write(3);
    assertThat(read(far)).isEqualTo(-1);
  }

  @Test
  void a_cut_ends_all_connections_and_new_ones_until_it_is_mended() throws IOException {
    connect();
    proxy.cut();
    assertThat(read(far)).isEqualTo(-1);
    assertThatThrownBy(() -> requireCarried(near)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), proxy.port()).close())
        .isInstanceOf(ConnectException.class);
    proxy.resume();
    connect();
    near.getOutputStream().write(1);
    assertThat(read(far)).isEqualTo(1);
  }

  private static void requireCarried(Socket socket) throws IOException {
    if (read(socket) < 0) {
      throw new IOException("the connection has ended");
    }
  }
}
