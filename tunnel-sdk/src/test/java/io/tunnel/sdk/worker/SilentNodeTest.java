package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The node of a worker's session falls silent, but its connection stays open. */
class SilentNodeTest {

  private static final long SILENCE_MS = 6_000;
  private static final int UNKNOWN_OPERATION = 250;

  private final World world = new World();

  /** The node, and the worker's world. */
  private static final class World extends VirtualWorld {
    PushReceiver receiver = PushReceiver.NONE;
    long silenceMs;
    int sessions;

    /** From this moment on, the node answers no request on the open connection. */
    boolean isSilent;

    @Override
    public CompletableFuture<Link> open(PushReceiver pushes) {
      receiver = pushes;
      isSilent = false;
      return CompletableFuture.completedFuture(new NodeLink(this));
    }
  }

  private record NodeLink(World world) implements Link {
    @Override
    public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
      return request(operation, payload, Duration.ofSeconds(30));
    }

    @Override
    public CompletableFuture<Frame> request(
        Operation operation, byte[] payload, Duration deadline) {
      CompletableFuture<Frame> answer = new CompletableFuture<>();
      if (world.isSilent) {
        ConnectionException late = new ConnectionException("no answer in time", false, null);
        world.schedule(() -> answer.completeExceptionally(late), deadline.toNanos());
        return answer;
      }
      byte[] words = {};
      if (operation == Operation.OPEN_SESSION) {
        world.sessions++;
        words =
            Json.encode(
                new SessionControl.SessionOpened(
                    "s" + world.sessions, FakeTable.meta(), world.silenceMs));
      }
      Frame frame = new Frame(operation, FrameKind.RESPONSE, 1, words);
      world.execute(() -> answer.complete(frame));
      return answer;
    }

    @Override
    public void push(Operation operation, byte[] payload) {
      // Credit: the node delivers nothing here.
    }

    @Override
    public void close() {
      // The worker has left.
    }
  }

  /** The defaults: a lease of 30 s and a heartbeat every 5 s. */
  @BeforeEach
  void start() {
    TunnelWorkerConfig config = new TunnelWorkerConfig(input -> {});
    WorkerSettings settings =
        WorkerSettings.of("tunnel", ClientConfig.of("127.0.0.1", 1), config, true);
    RecordingProcessor processor = new RecordingProcessor();
    WorkerLoop worker =
        new WorkerLoop(settings, new ProcessorSource.Shared(processor), world.ports());
    world.silenceMs = SILENCE_MS;
    var unused = worker.start();
    world.runUntil(Duration.ofSeconds(10));
    assertThat(world.sessions).isEqualTo(1);
  }

  @Test
  void it_is_left_when_others_may_have_taken_its_place() {
    world.isSilent = true;
    world.runUntil(Duration.ofMillis(10_000 + SILENCE_MS - 1));
    assertThat(world.sessions).isEqualTo(1);
    world.runUntil(Duration.ofMillis(10_000 + SILENCE_MS + SILENCE_MS / 2 + 100));
    assertThat(world.sessions).isEqualTo(2);
  }

  @Test
  void one_whose_place_nobody_takes_is_waited_for_as_long_as_it_would_wait() {
    world.isSilent = true;
    world.silenceMs = 0;
    world.runUntil(Duration.ofSeconds(22));
    assertThat(world.sessions).isEqualTo(2);
    world.isSilent = true;
    world.runUntil(Duration.ofSeconds(22 + 29));
    assertThat(world.sessions).isEqualTo(2);
    world.runUntil(Duration.ofSeconds(22 + 36));
    assertThat(world.sessions).isEqualTo(3);
  }

  @Test
  void one_whose_answer_waits_behind_deliveries_is_not_silent() {
    world.isSilent = true;
    for (int second = 11; second <= 60; second++) {
      world.receiver.pushed(new Frame(UNKNOWN_OPERATION, FrameKind.PUSH, 0, new byte[0]));
      world.runUntil(Duration.ofSeconds(second));
    }
    assertThat(world.sessions).isEqualTo(1);
  }
}
