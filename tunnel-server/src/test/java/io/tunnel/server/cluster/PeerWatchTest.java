package io.tunnel.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.cluster.Placement.Member;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sockets are closed in the middle here, as peers close them. */
@SuppressWarnings("try")
class PeerWatchTest {

  private final BlockingQueue<String> gone = new LinkedBlockingQueue<>();
  private final PeerWatch watch = new PeerWatch("n1", SocketFactory.getDefault(), gone::add);

  @AfterEach
  void end() {
    watch.close();
  }

  @Test
  void a_node_whose_process_ends_is_told() throws Exception {
    try (ServerSocket listener = listener()) {
      watch.watch(List.of(member("n2", listener)));
      Socket connection = listener.accept();
      listener.close();
      connection.close();
      assertThat(gone.poll(60, TimeUnit.SECONDS)).isEqualTo("n2");
    }
  }

  @Test
  void a_node_that_does_not_answer_is_connected_to_less_and_less_often() {
    long pause = PeerWatch.PAUSE_NANOS;
    long whole = 0;
    for (int i = 0; i < 20; i++) {
      pause = PeerWatch.pauseNanos(pause, false);
      whole += pause;
    }
    assertThat(pause).isEqualTo(PeerWatch.PAUSE_NANOS_MAX);
    assertThat(TimeUnit.NANOSECONDS.toSeconds(whole))
        .as("twenty connections take")
        .isGreaterThan(25);
    assertThat(PeerWatch.pauseNanos(pause, true))
        .as("a node that had answered is looked for at once")
        .isEqualTo(PeerWatch.PAUSE_NANOS);
  }

  @Test
  void a_node_that_only_closes_the_connection_is_connected_to_again_and_not_told()
      throws Exception {
    try (ServerSocket listener = listener()) {
      watch.watch(List.of(member("n2", listener)));
      listener.accept().close();
      try (Socket again = listener.accept()) {
        assertThat(again.getInputStream().read()).isNotNegative();
        assertThat(gone).isEmpty();
      }
    }
  }

  @Test
  void neither_this_node_nor_one_that_was_never_reached_is_told() throws Exception {
    try (ServerSocket own = listener();
        ServerSocket closed = listener();
        ServerSocket other = listener()) {
      closed.close();
      watch.watch(List.of(member("n1", own), member("n3", closed), member("n2", other)));
      Socket connection = other.accept();
      other.close();
      connection.close();
      assertThat(gone.poll(60, TimeUnit.SECONDS)).isEqualTo("n2");
      assertThat(gone).isEmpty();
      own.setSoTimeout(1);
      assertThat(isConnectedTo(own)).isFalse();
    }
  }

  @Test
  void a_node_that_is_no_member_any_more_is_not_watched() throws Exception {
    try (ServerSocket listener = listener()) {
      watch.watch(List.of(member("n2", listener)));
      try (Socket connection = listener.accept()) {
        watch.watch(List.of());
        while (connection.getInputStream().read() >= 0) {
          // The greeting; then the watch closes.
        }
      }
      assertThat(gone).isEmpty();
    }
  }

  @Test
  void an_address_that_cannot_be_is_no_reason_not_to_watch_others() throws Exception {
    try (ServerSocket listener = listener()) {
      watch.watch(
          List.of(
              new Member("n2", "1", "nowhere", false, 1),
              new Member("n3", "1", "no.such.host.invalid:1", false, 1),
              member("n4", listener)));
      Socket connection = listener.accept();
      listener.close();
      connection.close();
      assertThat(gone.poll(60, TimeUnit.SECONDS)).isEqualTo("n4");
    }
  }

  private static boolean isConnectedTo(ServerSocket listener) {
    try (Socket connection = listener.accept()) {
      return connection.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static ServerSocket listener() throws IOException {
    return new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
  }

  private static Member member(String name, ServerSocket listener) {
    return new Member(name, "1", "127.0.0.1:" + listener.getLocalPort(), false, 1);
  }
}
