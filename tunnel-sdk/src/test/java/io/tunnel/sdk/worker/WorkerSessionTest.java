package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.Phase;
import io.tunnel.sdk.TunnelWorkerStatus.State;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Sessions are opened, lost, replaced and closed. */
class WorkerSessionTest extends WorkerFixture {

  @Test
  void a_lost_connection_is_replaced_and_processing_resumes_from_the_checkpoint() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    Gate gate = new Gate();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (input.getRecords().get(0).position() == 11 && !gate.isOpen()) {
                gate.hold();
              }
            });
    TunnelWorkerConfig config = config(processor);
    config.setCheckpointIntervalInMillis(1);
    TunnelWorker worker = start(config);
    tunnel.append(0, 10);
    Waits.until("a checkpoint", () -> tunnel.checkpointed(0) == 10);
    tunnel.append(0, 10);
    gate.awaitHolding();
    server.dropAll();
    Waits.until("a new session", () -> tunnel.sessions() == 2);
    Waits.until("it is assigned again", () -> worker.status().channels().size() == 2);
    assertThat(tunnel.deliveries(0)).as("waits for the old callback").isEqualTo(2);
    gate.open();
    Waits.until("all is checkpointed", () -> tunnel.checkpointed(0) == 20);
    assertThat(processor.overlaps).hasValue(0);
    List<Long> expected = new ArrayList<>(upTo(20));
    expected.addAll(LongStream.rangeClosed(11, 20).boxed().toList());
    assertThat(processor.positions(0)).isEqualTo(expected);
    assertThat(worker.status().counters().sessions()).isEqualTo(2);
    assertThat(processor.shutdowns).hasValue(0);
  }

  @Test
  void a_session_that_the_server_ended_is_opened_anew() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorkerConfig config = config(processor);
    config.setHeartbeatTimeoutInSec(1);
    tunnel.refuseHeartbeat(ErrorCode.SESSION_ENDED);
    TunnelWorker worker = start(config);
    Waits.until("a new session", () -> tunnel.sessions() == 2);
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    Waits.until("it is seen", () -> worker.status().state() == State.WORKER_STARTED);
    assertThat(worker.status().sessionId()).contains("s2");
  }

  @Test
  void a_tunnel_that_was_deleted_halts_the_worker() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.refuseSessions(Optional.of(ErrorCode.TUNNEL_NOT_FOUND));
    server.dropAll();
    Waits.until("it halts", () -> worker.status().state() == State.WORKER_HALT);
    Waits.until("its processor is stopped", () -> processor.shutdowns.get() == 1);
    assertThat(worker.status().lastError().orElseThrow()).contains("TUNNEL_NOT_FOUND");
    worker.shutdown();
    assertThat(processor.shutdowns).hasValue(1);
  }

  @Test
  void permanent_refusals_are_thrown_and_the_worker_can_be_started_again() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    tunnel.refuseSessions(Optional.of(ErrorCode.TUNNEL_NOT_FOUND));
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorker worker = new TunnelWorker("tunnel", client, config(processor));
    workers.add(worker);
    assertThatThrownBy(worker::connectAndWorking)
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.TUNNEL_NOT_FOUND));
    assertThat(worker.status().state()).isEqualTo(State.WORKER_READY);
    tunnel.refuseSessions(Optional.empty());
    tunnel.append(0, 3);
    worker.connectAndWorking();
    awaitPositions(processor, 0, 3);
    assertThatThrownBy(worker::connectAndWorking).hasMessageContaining("runs already");
  }

  @Test
  void a_server_of_another_version_and_no_server_are_told_apart() {
    server.on(Operation.HELLO, (c, frame) -> c.refuse(frame, ErrorCode.UNSUPPORTED_VERSION));
    TunnelWorker worker = new TunnelWorker("tunnel", client, config(new RecordingProcessor()));
    assertThatThrownBy(worker::connectAndWorking)
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION));
    server.goAway();
    assertThatThrownBy(worker::connectAndWorking)
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("cannot connect");
    worker.shutdown();
    assertThat(worker.status().state()).isEqualTo(State.WORKER_ENDED);
    assertThatThrownBy(worker::connectAndWorking).hasMessageContaining("was shut down");
  }

  @Test
  void a_stuck_processor_is_interrupted_when_the_shutdown_deadline_has_passed() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger interrupted = new AtomicInteger();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              entered.countDown();
              try {
                never.await();
              } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw new IllegalStateException(e);
              }
            });
    TunnelWorkerConfig config = config(processor);
    config.setShutdownDeadlineInMillis(50);
    TunnelWorker worker = start(config);
    tunnel.append(0, 10);
    Waits.await(entered);
    worker.shutdown();
    Waits.until("it has ended", () -> worker.status().state() == State.WORKER_ENDED);
    assertThat(interrupted).hasValue(1);
    assertThat(tunnel.checkpointed(0)).isZero();
    assertThat(processor.shutdowns).hasValue(1);
  }

  @Test
  void a_processor_may_shut_its_worker_down() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    AtomicReference<TunnelWorker> worker = new AtomicReference<>();
    RecordingProcessor processor = new RecordingProcessor(input -> worker.get().shutdown());
    worker.set(new TunnelWorker("tunnel", client, config(processor)));
    workers.add(worker.get());
    worker.get().connectAndWorking();
    tunnel.append(0, 10);
    Waits.until("it has ended", () -> worker.get().status().state() == State.WORKER_ENDED);
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    assertThat(processor.shutdowns).hasValue(1);
  }

  @Test
  void a_session_end_that_is_pushed_opens_another_session_or_halts_the_worker() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.endSession(ErrorCode.SESSION_ENDED);
    Waits.until("a new session", () -> tunnel.sessions() == 2);
    awaitPositions(processor, 0, 20);
    tunnel.endSession(ErrorCode.TUNNEL_NOT_FOUND);
    Waits.until("it halts", () -> worker.status().state() == State.WORKER_HALT);
    Waits.until("its processor is stopped", () -> processor.shutdowns.get() == 1);
    assertThat(processor.farewells).containsExactly("revoked p0_1", "revoked p0_1", "shutdown");
    assertThat(tunnel.sessions()).isEqualTo(2);
  }

  /** Records the notices of the worker. */
  private static final class Heard implements ITunnelWorkerListener {
    final List<String> lines = new CopyOnWriteArrayList<>();
    final List<Long> pausesMs = new CopyOnWriteArrayList<>();

    @Override
    public void connecting(int attempt) {
      lines.add("connecting " + attempt);
    }

    @Override
    public void sessionOpened(String sessionId) {
      lines.add("opened " + sessionId);
    }

    @Override
    public void sessionLost(Throwable reason, long retryInMs) {
      lines.add("lost");
      pausesMs.add(retryInMs);
    }

    @Override
    public void halted(Throwable reason) {
      lines.add("halted");
    }

    @Override
    public void channelOpened(String channelId, long epoch) {
      lines.add("channel " + channelId + " " + epoch);
      throw new IllegalStateException("what a listener throws changes nothing");
    }

    @Override
    public void channelClosed(String channelId, CloseReason why) {
      lines.add("closed " + channelId + " " + why);
    }

    @Override
    public void processingFailed(
        String channelId, int attempt, Throwable error, boolean willRetry) {
      lines.add("failed " + channelId + " " + attempt + " " + willRetry);
    }

    @Override
    public void channelStopped(String channelId, Throwable error) {
      lines.add("stopped " + channelId + " " + error.getMessage());
    }
  }

  @Test
  void a_listener_hears_in_order_what_the_worker_does() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              throw new IllegalStateException("poison");
            });
    Heard heard = new Heard();
    TunnelWorkerConfig config = config(processor);
    config.setListener(heard);
    config.setProcessAttemptsMax(2);
    TunnelWorker worker = start(config);
    assertThat(worker.status().activity().phase()).isEqualTo(Phase.WORKING);
    tunnel.append(0, 1);
    Waits.until("it is closed", () -> heard.lines.contains("closed p0_1 STOPPED"));
    tunnel.assign(0);
    Waits.until("it is held again", () -> heard.lines.contains("channel p0_1 2"));
    tunnel.fence(0);
    Waits.until("it is told", () -> heard.lines.contains("closed p0_1 FENCED"));
    worker.shutdown();
    assertThat(worker.status().activity().phase()).isEqualTo(Phase.NONE);
    assertThat(heard.lines)
        .startsWith(
            "connecting 1",
            "opened s1",
            "channel p0_1 1",
            "failed p0_1 1 true",
            "failed p0_1 2 false",
            "stopped p0_1 poison",
            "closed p0_1 STOPPED",
            "channel p0_1 2")
        .endsWith("closed p0_1 FENCED");
  }

  @Test
  void pauses_between_sessions_grow_to_their_limit_and_begin_anew_after_good_health() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    Heard heard = new Heard();
    TunnelWorkerConfig config = config(processor);
    config.setListener(heard);
    config.setMaxRetryIntervalInMillis(80);
    config.setCheckpointIntervalInMillis(1);
    TunnelWorker worker = start(config);
    tunnel.append(0, 10);
    Waits.until("it is stored", () -> worker.status().counters().checkpoints() == 1);
    tunnel.refuseSessions(Optional.of(ErrorCode.BUSY));
    server.dropAll();
    Waits.until("some attempts", () -> heard.pausesMs.size() >= 6);
    assertThat(heard.pausesMs.get(0)).isBetween(10L, 20L);
    assertThat(heard.pausesMs.get(1)).isBetween(20L, 40L);
    assertThat(heard.pausesMs.get(4)).isBetween(40L, 80L);
    assertThat(heard.pausesMs).allMatch(pause -> pause <= 80);
    assertThat(heard.lines).contains("connecting 1", "connecting 5");
    tunnel.refuseSessions(Optional.empty());
    tunnel.append(0, 10);
    Waits.until("it is in good health", () -> worker.status().counters().checkpoints() == 2);
    Waits.until("it is seen", () -> worker.status().activity().phase() == Phase.WORKING);
    int before = heard.pausesMs.size();
    server.dropAll();
    Waits.until("it is lost again", () -> heard.pausesMs.size() > before);
    assertThat(heard.pausesMs.get(before)).isBetween(10L, 20L);
  }

  @Test
  void a_listener_that_blocks_holds_up_nothing_and_hears_how_much_it_missed() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    CountDownLatch gate = new CountDownLatch(1);
    List<Integer> missed = new CopyOnWriteArrayList<>();
    AtomicInteger failures = new AtomicInteger();
    AtomicInteger calls = new AtomicInteger();
    int failuresMax = Notices.WAITING_MAX + 500;
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (calls.incrementAndGet() <= failuresMax) {
                throw new IllegalStateException("not yet");
              }
            });
    TunnelWorkerConfig config = config(processor);
    config.setFailurePolicy((input, error, attempts) -> new FailurePolicy.Retry(Duration.ZERO));
    config.setListener(
        new ITunnelWorkerListener() {
          @Override
          public void connecting(int attempt) {
            Waits.await(gate);
          }

          @Override
          public void processingFailed(
              String channelId, int attempt, Throwable error, boolean willRetry) {
            failures.incrementAndGet();
          }

          @Override
          public void missed(int notices) {
            missed.add(notices);
          }
        });
    TunnelWorker worker = start(config);
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    gate.countDown();
    Waits.until("what waited is heard", () -> failures.get() >= Notices.WAITING_MAX - 2);
    worker.shutdown(); // Closes the channel, which is another notice.
    Waits.until("it hears of the rest", () -> missed.size() == 1);
    assertThat(failures.get() + missed.get(0)).isEqualTo(failuresMax);
  }
}
