package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ICheckpointer;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** How the holding of a channel ends, and what its processor is told. */
class WorkerEndTest extends WorkerFixture {

  @Test
  void a_revoked_channel_finishes_its_callback_checkpoints_and_is_released() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              entered.countDown();
              Waits.await(gate);
            });
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    Waits.await(entered);
    tunnel.append(0, 10); // Waits behind the running callback, and is dropped by the revocation.
    Waits.until("it is delivered", () -> tunnel.deliveries(0) == 2);
    tunnel.revoke(0);
    Waits.until(
        "the worker knows", () -> worker.status().channels().get(0).state().equals("DRAINING"));
    assertThat(tunnel.isHeld(0)).isTrue();
    gate.countDown();
    Waits.until("it is released", () -> !tunnel.isHeld(0));
    assertThat(tunnel.events()).containsExactly("open s1", "checkpoint 0 10", "release 0");
    assertThat(processor.positions(0)).isEqualTo(upTo(10));
    tunnel.assign(0);
    awaitPositions(processor, 0, 20);
    assertThat(processor.positions(0)).isEqualTo(upTo(20)); // Handed over without duplicates.
    assertThat(processor.shutdowns).hasValue(0);
  }

  @Test
  void a_fenced_channel_stops_and_its_processor_is_shut_down_once() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor[] processors = {new RecordingProcessor(), new RecordingProcessor()};
    TunnelWorkerConfig config = config(null);
    AtomicReference<ICheckpointer> checkpointer = new AtomicReference<>();
    TunnelWorker worker =
        new TunnelWorker(
            "tunnel",
            client,
            config,
            (tunnelId, clientId, channelId, own) -> {
              boolean isFirst = channelId.startsWith("p0");
              if (isFirst) {
                checkpointer.set(own);
              }
              return processors[isFirst ? 0 : 1];
            });
    workers.add(worker);
    worker.connectAndWorking();
    tunnel.append(0, 10);
    awaitPositions(processors[0], 0, 10);
    tunnel.steal(0);
    assertThatThrownBy(() -> checkpointer.get().checkpoint("10"))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED));
    Waits.until("the processor is stopped", () -> processors[0].shutdowns.get() == 1);
    Waits.until("it is counted", () -> worker.status().counters().fenced() == 1);
    assertThat(worker.status().channels()).hasSize(1);
    tunnel.append(1, 5);
    awaitPositions(processors[1], 1, 5);
    worker.shutdown();
    assertThat(processors[0].shutdowns).hasValue(1);
    assertThat(processors[1].shutdowns).hasValue(1);
  }
}
