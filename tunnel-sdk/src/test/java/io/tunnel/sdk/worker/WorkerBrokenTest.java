package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.Phase;
import io.tunnel.sdk.TunnelWorkerStatus.State;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Each call from the worker's thread to the outside throws in turn. Afterwards the worker opens a
 * new session or reports that it has halted, the channels get their deliveries again, and a
 * shutdown ends.
 */
class WorkerBrokenTest {

  private static final int CHANNELS = 3;
  private static final int CALLS_MAX = 200;
  private static final Duration RECOVERED = Duration.ofSeconds(60);

  /** A server that assigns all channels to each session; one of its calls throws, once. */
  private static final class World extends VirtualWorld {
    int callsLeft;
    int sessions;
    int positions;
    PushReceiver receiver = PushReceiver.NONE;

    World(int callsLeft) {
      this.callsLeft = callsLeft;
    }

    void call() {
      callsLeft--;
      if (callsLeft == 0) {
        throw new IllegalStateException("what cannot be");
      }
    }

    @Override
    public void fitTo(int channels) {
      call();
    }

    @Override
    public CompletableFuture<Link> open(PushReceiver pushes) {
      call();
      receiver = pushes;
      return CompletableFuture.completedFuture(new ServerLink(this));
    }

    private void push(Operation operation, byte[] payload) {
      PushReceiver to = receiver;
      execute(() -> to.pushed(new Frame(operation, FrameKind.PUSH, 0, payload)));
    }

    void assign() {
      for (int i = 0; i < CHANNELS; i++) {
        push(
            Operation.ASSIGN,
            Json.encode(
                new SessionControl.Assignment(
                    "s" + sessions,
                    "p" + i + "_1",
                    i,
                    i,
                    sessions,
                    positions,
                    ChannelType.Stream)));
      }
    }

    void deliver() {
      positions++;
      for (int i = 0; i < CHANNELS; i++) {
        push(Operation.DELIVER, delivery(i, sessions, positions));
      }
    }

    void revokeFirst() {
      push(
          Operation.REVOKE,
          Json.encode(new SessionControl.Revocation("s" + sessions, 0, sessions, 10_000)));
    }
  }

  private record ServerLink(World world) implements Link {
    @Override
    public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
      world.call();
      CompletableFuture<Frame> answer = new CompletableFuture<>();
      byte[] words = {};
      if (operation == Operation.OPEN_SESSION) {
        world.sessions++;
        words =
            Json.encode(new SessionControl.SessionOpened("s" + world.sessions, FakeTable.meta()));
      } else if (operation == Operation.ATTACH) {
        words = Json.encode(new Attached(Json.decode(payload, Attach.class).partition()));
      }
      Frame frame = new Frame(operation, FrameKind.RESPONSE, 1, words);
      world.execute(() -> answer.complete(frame));
      if (operation == Operation.OPEN_SESSION) {
        world.execute(world::assign);
      }
      return answer;
    }

    @Override
    public CompletableFuture<Frame> request(
        Operation operation, byte[] payload, Duration deadline) {
      return request(operation, payload);
    }

    @Override
    public void push(Operation operation, byte[] payload) {
      world.call();
    }

    @Override
    public void close() {
      world.call();
    }
  }

  private static byte[] delivery(int channel, long epoch, int position) {
    BatchBuilder builder = new BatchBuilder(FakeTable.meta().primaryKey(), 64);
    builder.add(
        new RowPutChange(
            PrimaryKey.builder().add("id", position).build(),
            List.of(new Column("v", ColumnValue.fromLong(position)))));
    byte[] batch = builder.build(channel, position, 1_000);
    byte[] payload = new byte[Delivery.PREFIX_BYTES + batch.length];
    Delivery.writePrefix(payload, 0, channel, epoch, position);
    System.arraycopy(batch, 0, payload, Delivery.PREFIX_BYTES, batch.length);
    return payload;
  }

  /** Returns true when the worker made the call that throws. */
  private static boolean run(int throwingCall) {
    World world = new World(throwingCall);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorkerConfig config = new TunnelWorkerConfig(processor);
    config.setCheckpointIntervalInMillis(1_000);
    config.setMaxRetryIntervalInMillis(1_000);
    WorkerSettings settings =
        WorkerSettings.of("tunnel", ClientConfig.of("127.0.0.1", 1), config, true);
    WorkerLoop worker =
        new WorkerLoop(settings, new ProcessorSource.Shared(processor), world.ports());
    CompletableFuture<Void> started = worker.start();
    world.runUntil(Duration.ofSeconds(2));
    world.deliver();
    world.runUntil(Duration.ofSeconds(8));
    world.revokeFirst();
    world.runUntil(Duration.ofSeconds(10));
    world.receiver.lost(new ConnectionException("lost", false, null));
    world.runUntil(RECOVERED);
    String what = "call " + throwingCall + " throws: " + worker.status();
    if (worker.status().state() == State.WORKER_STARTED) {
      assertThat(started).as(what).isCompleted();
      assertThat(worker.status().activity().phase()).as(what).isEqualTo(Phase.WORKING);
      assertThat(worker.status().channels()).as(what).hasSize(CHANNELS);
      world.deliver();
      world.runUntil(RECOVERED.plusSeconds(5));
      for (int i = 0; i < CHANNELS; i++) {
        assertThat(processor.positions(i)).as(what).contains((long) world.positions);
      }
    } else {
      assertThat(worker.status().lastError()).as(what).isPresent();
    }
    CompletableFuture<Void> ended = worker.shutdown();
    world.runUntil(RECOVERED.plusSeconds(30));
    assertThat(ended).as("the shutdown when " + what).isCompleted();
    return world.callsLeft <= 0;
  }

  @Test
  void whatever_throws_on_the_workers_thread_it_goes_on_or_halts_and_its_shutdown_ends() {
    int calls = 1;
    while (run(calls)) {
      calls++;
      assertThat(calls).isLessThan(CALLS_MAX);
    }
    assertThat(calls).as("places where something was thrown").isGreaterThan(30);
  }
}
