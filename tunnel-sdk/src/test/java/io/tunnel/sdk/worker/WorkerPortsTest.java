package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.TunnelWorkerStatus.Phase;
import io.tunnel.sdk.TunnelWorkerStatus.State;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.worker.channel.WorkerChannelCore;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A whole worker on the test's thread, in virtual time. */
class WorkerPortsTest {

  private static final int HALTS = 2_000;
  private static final long ANSWER_NANOS_MAX = Duration.ofSeconds(5).toNanos();

  /** The server, and the worker's world. */
  private static final class World extends VirtualWorld {
    final List<String> said = new ArrayList<>();
    PushReceiver receiver = PushReceiver.NONE;
    int sessions;

    /** Number of further checkpoints without an answer. */
    int unanswered;

    /** The refusal of further sessions. */
    Optional<RefusedException> sessionRefusal = Optional.empty();

    @Override
    public void fitTo(int channels) {
      said.add("threads for " + channels);
    }

    @Override
    public CompletableFuture<Link> open(PushReceiver pushes) {
      receiver = pushes;
      return CompletableFuture.completedFuture(new ServerLink(this));
    }

    void push(Operation operation, byte[] payload) {
      PushReceiver to = receiver;
      execute(() -> to.pushed(new Frame(operation, FrameKind.PUSH, 0, payload)));
    }
  }

  private record ServerLink(World world) implements Link {
    @Override
    public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
      CompletableFuture<Frame> answer = new CompletableFuture<>();
      byte[] words = {};
      if (operation == Operation.OPEN_SESSION && world.sessionRefusal.isPresent()) {
        return CompletableFuture.failedFuture(world.sessionRefusal.get());
      }
      if (operation == Operation.OPEN_SESSION) {
        world.sessions++;
        words =
            Json.encode(new SessionControl.SessionOpened("s" + world.sessions, FakeTable.meta()));
      } else if (operation == Operation.ATTACH) {
        world.said.add("ATTACH");
        words = Json.encode(new Attached(0));
      } else if (operation == Operation.CHECKPOINT) {
        world.said.add("checkpoint " + Checkpoint.decode(payload).position());
        if (world.unanswered > 0) {
          world.unanswered--;
          ConnectionException late = new ConnectionException("no answer in time", false, null);
          world.schedule(() -> answer.completeExceptionally(late), ANSWER_NANOS_MAX);
          return answer;
        }
      }
      Frame frame = new Frame(operation, FrameKind.RESPONSE, 1, words);
      world.execute(() -> answer.complete(frame));
      return answer;
    }

    @Override
    public CompletableFuture<Frame> request(
        Operation operation, byte[] payload, Duration deadline) {
      world.said.add(operation + " at " + Duration.ofNanos(world.nowNanos()).toSeconds());
      return request(operation, payload);
    }

    @Override
    public void push(Operation operation, byte[] payload) {
      world.said.add(operation.name());
    }

    @Override
    public void close() {
      world.said.add("closed");
    }
  }

  private static byte[] delivery() {
    BatchBuilder builder = new BatchBuilder(FakeTable.meta().primaryKey(), 64);
    builder.add(
        new RowPutChange(
            PrimaryKey.builder().add("id", 1).build(),
            List.of(new Column("v", ColumnValue.fromLong(1)))));
    byte[] batch = builder.build(0, 1, 1_000);
    byte[] payload = new byte[Delivery.PREFIX_BYTES + batch.length];
    Delivery.writePrefix(payload, 0, 0, 1, 1);
    System.arraycopy(batch, 0, payload, Delivery.PREFIX_BYTES, batch.length);
    return payload;
  }

  @Test
  void a_worker_needs_nothing_but_its_ports_and_does_the_same_each_time() {
    assertThat(run())
        .isEqualTo(run())
        .containsExactly(
            "threads for 1",
            "ATTACH",
            "CREDIT",
            "CREDIT", // The delivery's bytes come back.
            "HEARTBEAT at 5",
            "checkpoint 1",
            "HEARTBEAT at 10",
            "closed", // By the worker, when it hears that the connection is lost.
            "threads for 0",
            "HEARTBEAT at 17",
            "CLOSE_SESSION at 19",
            "closed");
  }

  private static List<String> run() {
    World world = new World();
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorkerConfig config = new TunnelWorkerConfig(processor);
    config.setCheckpointIntervalInMillis(6_000);
    WorkerSettings settings =
        WorkerSettings.of("tunnel", ClientConfig.of("127.0.0.1", 1), config, true);
    WorkerLoop worker =
        new WorkerLoop(settings, new ProcessorSource.Shared(processor), world.ports());
    CompletableFuture<Void> started = worker.start();
    assertThat(started).isNotDone(); // Nothing runs inside a call.
    world.runUntil(Duration.ZERO);
    assertThat(started).isCompleted();
    world.push(
        Operation.ASSIGN,
        Json.encode(new SessionControl.Assignment("s1", "p0_1", 0, 0, 1, 0, ChannelType.Stream)));
    world.runUntil(Duration.ZERO);
    world.push(Operation.DELIVER, delivery());
    world.runUntil(Duration.ofSeconds(12));
    assertThat(processor.positions(0)).containsExactly(1L);
    world.receiver.lost(new ConnectionException("lost", false, null));
    assertThat(worker.status().activity().phase()).isEqualTo(Phase.PAUSING);
    assertThat(worker.status().activity().retryInMs()).isBetween(10L, 20L);
    world.runUntil(Duration.ofSeconds(19));
    assertThat(processor.farewells).containsExactly("revoked p0_1");
    CompletableFuture<Void> ended = worker.shutdown();
    world.runUntil(Duration.ofSeconds(20));
    assertThat(ended).isCompleted();
    assertThat(world.isClosed()).isTrue();
    assertThat(worker.status().state()).isEqualTo(State.WORKER_ENDED);
    assertThat(processor.farewells).containsExactly("revoked p0_1", "shutdown");
    return world.said;
  }

  @Test
  void a_last_checkpoint_that_is_not_answered_is_sent_again_before_the_session_is_closed() {
    World world = new World();
    world.unanswered = 1;
    WorkerLoop worker = processedOne(world);
    CompletableFuture<Void> ended = worker.shutdown();
    world.runUntil(Duration.ofSeconds(10));
    assertThat(ended).isCompleted();
    assertThat(world.said)
        .containsSubsequence("checkpoint 1", "checkpoint 1", "CLOSE_SESSION at 6");
    assertThat(worker.status().lastError()).isEmpty();
  }

  @Test
  void a_worker_that_could_not_store_its_last_checkpoint_says_so() {
    World world = new World();
    world.unanswered = Integer.MAX_VALUE;
    WorkerLoop worker = processedOne(world);
    CompletableFuture<Void> ended = worker.shutdown();
    world.runUntil(Duration.ofSeconds(60));
    assertThat(ended).isCompleted();
    assertThat(world.said.stream().filter("checkpoint 1"::equals))
        .hasSize(WorkerChannelCore.END_ATTEMPTS_MAX);
    assertThat(worker.status().lastError().orElseThrow())
        .contains("p0_1")
        .contains("no answer in time");
  }

  /**
   * Other threads see a worker halt at any moment; few rounds meet the moment, so there are many.
   */
  @Test
  void a_worker_is_never_seen_to_have_halted_without_its_reason() {
    AtomicReference<Optional<WorkerLoop>> watched = new AtomicReference<>(Optional.empty());
    AtomicReference<Optional<TunnelWorkerStatus>> bad = new AtomicReference<>(Optional.empty());
    AtomicBoolean isOver = new AtomicBoolean();
    Thread watcher =
        new Thread(
            () -> {
              while (!isOver.get()) {
                watched
                    .get()
                    .map(WorkerLoop::status)
                    .filter(status -> hidesReason(status))
                    .ifPresent(status -> bad.set(Optional.of(status)));
              }
            });
    watcher.start();
    for (int round = 0; round < HALTS && bad.get().isEmpty(); round++) {
      World world = new World();
      WorkerLoop worker = processedOne(world);
      watched.set(Optional.of(worker));
      world.sessionRefusal =
          Optional.of(new RefusedException(ErrorCode.TUNNEL_NOT_FOUND, "it was deleted"));
      world.receiver.lost(new ConnectionException("lost", false, null));
      world.runUntil(Duration.ofSeconds(2));
      assertThat(worker.status().state()).isEqualTo(State.WORKER_HALT);
    }
    isOver.set(true);
    assertThat(bad.get()).isEmpty();
  }

  private static boolean hidesReason(TunnelWorkerStatus status) {
    return status.state() == State.WORKER_HALT
        && !status.lastError().orElse("").contains("it was deleted");
  }

  /** A worker that has processed a change without a checkpoint. */
  private static WorkerLoop processedOne(World world) {
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorkerConfig config = new TunnelWorkerConfig(processor);
    config.setCheckpointIntervalInMillis(3_600_000);
    WorkerLoop worker =
        new WorkerLoop(
            WorkerSettings.of("tunnel", ClientConfig.of("127.0.0.1", 1), config, true),
            new ProcessorSource.Shared(processor),
            world.ports());
    var unused = worker.start();
    world.runUntil(Duration.ZERO);
    world.push(
        Operation.ASSIGN,
        Json.encode(new SessionControl.Assignment("s1", "p0_1", 0, 0, 1, 0, ChannelType.Stream)));
    world.runUntil(Duration.ZERO);
    world.push(Operation.DELIVER, delivery());
    world.runUntil(Duration.ofSeconds(1));
    assertThat(processor.positions(0)).containsExactly(1L);
    return worker;
  }
}
