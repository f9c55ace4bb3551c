package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.State;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.wire.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (input.getRecords().get(0).position() == 11 && gate.getCount() > 0) {
                entered.countDown();
                Waits.await(gate);
              }
            });
    TunnelWorkerConfig config = config(processor);
    config.setCheckpointIntervalInMillis(1);
    TunnelWorker worker = start(config);
    tunnel.append(0, 10);
    Waits.until("a checkpoint", () -> tunnel.checkpointed(0) == 10);
    tunnel.append(0, 10);
    Waits.await(entered);
    server.dropAll();
    Waits.until("a new session", () -> tunnel.sessions() == 2);
    Waits.until("it is assigned again", () -> worker.status().channels().size() == 2);
    assertThat(tunnel.deliveries(0)).as("waits for the old callback").isEqualTo(2);
    gate.countDown();
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
}
