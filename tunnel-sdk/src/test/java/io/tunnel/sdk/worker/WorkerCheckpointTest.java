package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.State;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** When and how progress is checkpointed. */
class WorkerCheckpointTest extends WorkerFixture {

  @Test
  void progress_is_checkpointed_on_an_interval_and_at_the_end() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorkerConfig config = config(processor);
    config.setCheckpointIntervalInMillis(30);
    TunnelWorker worker = start(config);
    tunnel.append(0, 10);
    Waits.until("the first checkpoint", () -> tunnel.checkpointed(0) == 10);
    tunnel.append(0, 10);
    Waits.until("the second checkpoint", () -> tunnel.checkpointed(0) == 20);
    Waits.until("they are counted", () -> worker.status().counters().checkpoints() >= 2);
    worker.shutdown();
    assertThat(processor.shutdowns).hasValue(1);

    RecordingProcessor second = new RecordingProcessor();
    TunnelWorker never = start(config(second));
    tunnel.append(0, 7);
    tunnel.append(1, 3);
    awaitPositions(second, 0, 7);
    awaitPositions(second, 1, 3);
    assertThat(second.positions(0)).startsWith(21L);
    assertThat(tunnel.checkpointed(0)).isEqualTo(20);
    never.shutdown();
    assertThat(tunnel.checkpointed(0)).isEqualTo(27);
    assertThat(tunnel.checkpointed(1)).isEqualTo(3);
    assertThat(tunnel.events()).endsWith("close").doesNotContain("release 0", "release 1");
    assertThat(tunnel.isHeld(0)).isFalse();
    assertThat(never.status().state()).isEqualTo(State.WORKER_ENDED);
  }

  @Test
  void processors_of_a_factory_checkpoint_by_themselves() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    List<Throwable> refused = new ArrayList<>();
    List<String> made = new ArrayList<>();
    CountDownLatch done = new CountDownLatch(2);
    TunnelWorkerConfig config = config(null);
    config.setCheckpointIntervalInMillis(1);
    TunnelWorker worker =
        new TunnelWorker(
            "tunnel",
            client,
            config,
            (tunnelId, clientId, channelId, checkpointer) -> {
              made.add(tunnelId + " " + clientId + " " + channelId);
              return new RecordingProcessor(
                  input -> {
                    if (done.getCount() == 2) {
                      checkpointer.checkpoint(input.getNextToken());
                      for (String bad : List.of("", "x", "-1", "11", "9")) {
                        try {
                          checkpointer.checkpoint(bad);
                        } catch (IllegalArgumentException | RefusedException e) {
                          refused.add(e);
                        }
                      }
                    } else {
                      checkpointer.checkpoint("finished");
                    }
                    done.countDown();
                  });
            });
    workers.add(worker);
    worker.connectAndWorking();
    tunnel.append(0, 10);
    Waits.until("the first input is done", () -> done.getCount() == 1);
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    tunnel.append(0, 5);
    Waits.await(done);
    Waits.until("everything is stored", () -> tunnel.checkpointed(0) == 15);
    assertThat(made).containsExactly("tunnel s1 p0_1");
    assertThat(refused).hasSize(5);
    assertThat(((RefusedException) refused.get(4)).code()).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(worker.status().channels()).hasSize(1);
  }

  @Test
  void a_fenced_automatic_checkpoint_stops_the_channel() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.steal(0);
    worker.shutdown();
    assertThat(tunnel.events()).contains("fenced 0");
    assertThat(tunnel.checkpointed(0)).isZero();
    assertThat(worker.status().counters().fenced()).isEqualTo(1);
  }

  private TunnelWorker start(
      RecordingProcessor processor, AtomicReference<ICheckpointer> checkpointer) {
    TunnelWorkerConfig config = config(null);
    config.setProcessRowsMax(10);
    return start(
        config,
        (tunnelId, clientId, channelId, own) -> {
          checkpointer.set(own);
          return processor;
        });
  }

  /** Each part of an input has its own token, which may be stored before the next part is done. */
  @Test
  void the_parts_of_a_delivery_may_be_done_in_any_order() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    AtomicReference<ICheckpointer> own = new AtomicReference<>();
    tunnel.append(0, 25);
    var unused = start(processor, own);
    awaitPositions(processor, 0, 25);
    CompletableFuture<Void> second = own.get().checkpointAsync("20");
    assertThat(second).isNotDone();
    own.get().checkpointAsync("10").join();
    second.join();
    assertThat(tunnel.checkpointed(0)).isEqualTo(20);
    own.get().checkpoint(null);
    assertThat(tunnel.checkpointed(0)).isEqualTo(25);
  }

  @Test
  void inputs_may_be_done_in_any_order_and_what_is_stored_has_no_gap() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    AtomicReference<ICheckpointer> own = new AtomicReference<>();
    var unused = start(processor, own);
    for (int i = 0; i < 3; i++) {
      tunnel.append(0, 10);
    }
    awaitPositions(processor, 0, 30);
    CompletableFuture<Void> third = own.get().checkpointAsync("30");
    CompletableFuture<Void> second = own.get().checkpointAsync("20");
    assertThatThrownBy(() -> own.get().checkpointAsync("15").join())
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no input ends with token 15");
    assertThat(tunnel.checkpointed(0)).isZero();
    assertThat(third).isNotDone();
    own.get().checkpointAsync("10").join();
    second.join();
    third.join();
    assertThat(tunnel.checkpointed(0)).isEqualTo(30);
    own.get().checkpointAsync("20").join(); // Said again: stored already.
    assertThat(tunnel.events()).containsExactly("open s1", "checkpoint 0 30");
  }

  @Test
  void one_checkpoint_is_under_way_at_a_time_and_the_next_stores_all_that_came_meanwhile() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    AtomicReference<ICheckpointer> own = new AtomicReference<>();
    var unused = start(processor, own);
    for (int i = 0; i < 5; i++) {
      tunnel.append(0, 10);
    }
    awaitPositions(processor, 0, 50);
    tunnel.holdCheckpoints();
    List<CompletableFuture<Void>> futures = new ArrayList<>();
    futures.add(own.get().checkpointAsync("10"));
    Waits.until("the first is under way", tunnel::holdsCheckpoint);
    for (String token : List.of("20", "30", "40")) {
      futures.add(own.get().checkpointAsync(token));
    }
    // The worker handles calls in order: after this refusal, it has handled the earlier calls.
    assertThatThrownBy(() -> own.get().checkpointAsync("45").join()).hasMessageContaining("45");
    tunnel.answerCheckpoint();
    futures.get(0).join();
    Waits.until("the second is under way", tunnel::holdsCheckpoint);
    assertThat(futures.get(3)).isNotDone();
    tunnel.answerCheckpoint();
    futures.forEach(CompletableFuture::join);
    assertThat(tunnel.events()).containsExactly("open s1", "checkpoint 0 10", "checkpoint 0 40");
  }

  @Test
  void a_checkpoint_that_the_server_refuses_is_an_error_and_may_be_asked_for_again() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    AtomicReference<ICheckpointer> own = new AtomicReference<>();
    TunnelWorker worker = start(processor, own);
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.refuseCheckpoint(ErrorCode.BUSY);
    assertThatThrownBy(() -> own.get().checkpointAsync("10").join())
        .hasRootCauseInstanceOf(RefusedException.class)
        .hasMessageContaining("BUSY");
    own.get().checkpointAsync("10").join();
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 20);
    tunnel.refuseCheckpoint(ErrorCode.INVALID_CHECKPOINT); // Somebody else has moved it.
    assertThatThrownBy(() -> own.get().checkpoint("20"))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CHECKPOINT));
    Waits.until("operators see it", () -> !tunnel.isHeld(0));
    assertThat(tunnel.events().get(tunnel.events().size() - 1)).contains("INVALID_CHECKPOINT");
    Waits.until("it is counted", () -> worker.status().counters().failed() == 1);
  }

  @Test
  void what_a_future_leads_to_does_not_hold_up_the_worker() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor = new RecordingProcessor();
    AtomicReference<ICheckpointer> own = new AtomicReference<>();
    Gate gate = new Gate();
    TunnelWorkerConfig config = config(null);
    var unused =
        start(
            config,
            (tunnelId, clientId, channelId, checkpointer) -> {
              if (channelId.startsWith("p0")) {
                own.set(checkpointer);
              }
              return processor;
            });
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.holdCheckpoints();
    var blocked =
        own.get()
            .checkpointAsync("10")
            .thenRun(
                () -> {
                  gate.hold();
                });
    Waits.until("it is under way", tunnel::holdsCheckpoint);
    tunnel.answerCheckpoint();
    gate.awaitHolding();
    tunnel.append(0, 10);
    tunnel.append(1, 10);
    awaitPositions(processor, 0, 20);
    awaitPositions(processor, 1, 10);
    gate.open();
    blocked.join();
  }

  @Test
  void a_checkpoint_without_a_token_covers_no_input_that_the_processor_threw_at() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    CountDownLatch closed = new CountDownLatch(1);
    TunnelWorkerConfig config = config(null);
    config.setProcessAttemptsMax(1);
    var unused =
        start(
            config,
            (tunnelId, clientId, channelId, own) ->
                new IChannelProcessor() {
                  @Override
                  public void process(ProcessRecordsInput input) {
                    if (input.getRecords().get(0).position() > 10) {
                      throw new IllegalStateException("poison");
                    }
                  }

                  @Override
                  public void closing(String id) {
                    own.checkpoint(null);
                    own.checkpointAsync(null).join();
                    closed.countDown();
                  }

                  @Override
                  public void shutdown() {}
                });
    tunnel.append(0, 10);
    Waits.until("it is processed", () -> tunnel.credit(0) == 1 << 20);
    tunnel.append(0, 10);
    Waits.await(closed);
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
  }
}
