package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.wire.EchoRequest;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which requests wait for which other on the control thread of a server. */
final class ControlTurnsTest {

  private static final int FLOOD = 200;

  @TempDir private Path directory;

  /** Waits until the event loop has passed on every request that the client sent before. */
  private static void requirePassedOn(RawClient client) throws IOException {
    byte[] payload = new EchoRequest(false, Bytes.EMPTY).encode();
    assertThat(client.ask(Operation.ECHO, payload).kind()).isEqualTo(FrameKind.RESPONSE);
  }

  @Test
  void a_client_waits_on_the_control_thread_for_one_request_of_a_flood() throws Exception {
    byte[] undrain = Json.encode(new DrainNode(false));
    CountDownLatch isHeld = new CountDownLatch(1);
    try (TestNode node = new TestNode(directory);
        RawClient flood = node.client();
        RawClient quiet = node.client()) {
      node.control.execute(
          () -> {
            try {
              isHeld.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      List<Integer> sent = new ArrayList<>();
      for (int i = 0; i < FLOOD; i++) {
        sent.add(flood.send(Operation.DRAIN_NODE, undrain));
      }
      requirePassedOn(flood);
      int drain = quiet.send(Operation.DRAIN_NODE, undrain);
      requirePassedOn(quiet);
      assertThat(node.control.getQueue()).as("one request of each client").hasSize(2);
      isHeld.countDown();
      assertThat(quiet.answer(Operation.DRAIN_NODE, drain).kind()).isEqualTo(FrameKind.RESPONSE);
      for (int each : sent) {
        assertThat(flood.answer(Operation.DRAIN_NODE, each).kind()).isEqualTo(FrameKind.RESPONSE);
      }
    }
  }
}
