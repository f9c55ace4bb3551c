package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.IChannelProcessorFactory;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The end of a holding of a channel, and the callbacks to its processor. */
class WorkerEndTest extends WorkerFixture {

  @Test
  void a_revoked_channel_finishes_its_callback_checkpoints_and_is_released() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    Gate gate = new Gate();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              gate.hold();
            });
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    gate.awaitHolding();
    tunnel.append(0, 10); // Waits behind the running callback, and is dropped by the revocation.
    Waits.until("it is delivered", () -> tunnel.deliveries(0) == 2);
    tunnel.revoke(0);
    Waits.until(
        "the worker knows", () -> worker.status().channels().get(0).state().equals("DRAINING"));
    assertThat(tunnel.isHeld(0)).isTrue();
    gate.open();
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
    Waits.until("it is given up", () -> worker.status().channels().size() == 1);
    tunnel.append(1, 5);
    awaitPositions(processors[1], 1, 5);
    worker.shutdown();
    assertThat(processors[0].shutdowns).hasValue(1);
    assertThat(processors[1].shutdowns).hasValue(1);
  }

  private static IChannelProcessorFactory factory(
      AtomicReference<ICheckpointer> checkpointer, IChannelProcessor processor) {
    return (tunnelId, clientId, channelId, own) -> {
      checkpointer.set(own);
      return processor;
    };
  }

  @Test
  void a_channel_that_ends_is_checkpointed_at_its_end_and_given_back() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.end(0, 12); // Positions 11 and 12 are nobody's.
    Waits.until("it is given back", () -> !tunnel.isHeld(0));
    assertThat(tunnel.events()).containsExactly("open s1", "checkpoint 0 12", "release 0");
    tunnel.end(1, 0); // Nothing was ever in this one.
    Waits.until("the empty one too", () -> !tunnel.isHeld(1));
    assertThat(tunnel.events()).endsWith("release 1").doesNotContain("checkpoint 1 0");
    worker.shutdown();
    assertThat(processor.farewells).containsExactly("ended p0_1", "ended p1_1", "shutdown");
  }

  @Test
  void the_last_input_has_no_token_when_the_end_is_known() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    Gate gate = new Gate();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (input.getChannelId().startsWith("p0")) {
                gate.hold();
              }
            });
    TunnelWorkerConfig config = config(processor);
    config.setProcessRowsMax(1);
    var unused = start(config);
    tunnel.append(0, 1);
    gate.awaitHolding();
    tunnel.append(0, 1);
    tunnel.append(0, 1);
    tunnel.end(0, 3);
    tunnel.append(1, 1);
    awaitPositions(processor, 1, 1); // So the worker has heard of the end, too.
    gate.open();
    Waits.until("it is given back", () -> !tunnel.isHeld(0));
    assertThat(processor.inputs.stream().filter(input -> input.getPartitionId().equals("p0")))
        .extracting(ProcessRecordsInput::getNextToken)
        .containsExactly("1", "2", null);
    assertThat(tunnel.checkpointed(0)).isEqualTo(3);
  }

  @Test
  void a_processor_that_checkpoints_by_itself_is_held_until_it_has_checkpointed_the_end() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    AtomicReference<ICheckpointer> checkpointer = new AtomicReference<>();
    TunnelWorker worker = start(config(null), factory(checkpointer, processor));
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.end(0, 12);
    Waits.until("it is held", () -> worker.status().channels().get(0).state().equals("HOLDING"));
    assertThat(processor.farewells).containsExactly("ended p0_1");
    checkpointer.get().checkpoint(null);
    Waits.until("it is given back", () -> !tunnel.isHeld(0));
    assertThat(tunnel.events()).containsExactly("open s1", "checkpoint 0 12", "release 0");
    assertThat(processor.farewells).containsExactly("ended p0_1", "shutdown");
  }

  @Test
  void a_fence_is_told_while_the_callback_runs_and_nothing_counts_from_then_on() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    CountDownLatch revoked = new CountDownLatch(1);
    List<Throwable> refused = new CopyOnWriteArrayList<>();
    AtomicReference<ICheckpointer> checkpointer = new AtomicReference<>();
    CountDownLatch entered = new CountDownLatch(1);
    IChannelProcessor processor =
        new IChannelProcessor() {
          @Override
          public void process(ProcessRecordsInput input) {
            entered.countDown();
            Waits.await(revoked); // Opens only when it is told while this runs.
            try {
              checkpointer.get().checkpoint(input.getNextToken());
            } catch (RefusedException e) {
              refused.add(e);
            }
            checkpointer
                .get()
                .checkpointAsync(input.getNextToken())
                .whenComplete((nothing, e) -> refused.add(e));
          }

          @Override
          public void revoked(String channelId) {
            revoked.countDown();
          }

          @Override
          public void shutdown() {}
        };
    TunnelWorker worker = start(config(null), factory(checkpointer, processor));
    tunnel.append(0, 10);
    Waits.await(entered);
    tunnel.fence(0);
    Waits.until("both are refused", () -> refused.size() == 2);
    assertThat(refused)
        .allSatisfy(
            e ->
                assertThat(e)
                    .isInstanceOfSatisfying(
                        RefusedException.class,
                        fenced -> assertThat(fenced.code()).isEqualTo(ErrorCode.FENCED)));
    Waits.until("it is forgotten", () -> worker.status().channels().isEmpty());
    assertThat(tunnel.events()).containsExactly("open s1"); // Nothing was sent any more.
    assertThat(worker.status().counters().fenced()).isEqualTo(1);
  }

  @Test
  void a_channel_that_closes_is_told_so_before_its_last_checkpoint() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    AtomicReference<ICheckpointer> checkpointer = new AtomicReference<>();
    List<String> told = new CopyOnWriteArrayList<>();
    CountDownLatch processed = new CountDownLatch(1);
    IChannelProcessor processor =
        new IChannelProcessor() {
          @Override
          public void process(ProcessRecordsInput input) {
            processed.countDown();
          }

          @Override
          public void closing(String channelId) {
            checkpointer.get().checkpoint(null);
            told.add("closing at " + tunnel.checkpointed(0));
          }

          @Override
          public void shutdown() {
            told.add("shutdown");
          }
        };
    TunnelWorker worker = start(config(null), factory(checkpointer, processor));
    tunnel.append(0, 10);
    Waits.await(processed);
    worker.shutdown();
    assertThat(told).containsExactly("closing at 10", "shutdown");
    assertThatThrownBy(() -> checkpointer.get().checkpoint(null))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FENCED));
  }

  /** The next holder processes the dropped changes, and reaches the end. */
  @Test
  void a_checkpoint_waits_for_no_end_behind_changes_that_were_dropped() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    Gate gate = new Gate();
    AtomicReference<ICheckpointer> checkpointer = new AtomicReference<>();
    List<String> stored = new CopyOnWriteArrayList<>();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              gate.hold();
              checkpointer.get().checkpoint(input.getNextToken());
              stored.add(input.getNextToken());
            });
    TunnelWorkerConfig config = config(null);
    config.setHeartbeatTimeoutInSec(1);
    TunnelWorker worker = start(config, factory(checkpointer, processor));
    tunnel.append(0, 10);
    gate.awaitHolding();
    CompletableFuture<Void> shutdown = CompletableFuture.runAsync(worker::shutdown);
    Waits.until(
        "the worker ends", () -> worker.status().channels().get(0).state().equals("DRAINING"));
    tunnel.append(0, 10);
    assertThat(tunnel.delivered(0)).isEqualTo(20);
    tunnel.end(0, 20);
    int before = tunnel.heartbeats();
    // The first answer arrives after the end, and the second checkpoint follows that answer.
    Waits.until("it has heard of the end", () -> tunnel.heartbeats() >= before + 2);
    gate.open();
    shutdown.join();
    assertThat(stored).containsExactly("10");
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    assertThat(processor.farewells).containsExactly("closing p0_1", "shutdown");
  }

  @Test
  void a_channel_that_the_server_does_not_take_back_costs_the_session() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    TunnelWorker worker = start(config(new RecordingProcessor()));
    tunnel.refuseReleases(ErrorCode.STORAGE_FAILED);
    Waits.until("it is held", () -> worker.status().channels().size() == 1);
    tunnel.revoke(0);
    Waits.until("a new session", () -> tunnel.sessions() == 2);
    assertThat(worker.status().lastError().orElseThrow()).contains("could not be given back");
  }
}
