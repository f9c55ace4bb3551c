package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.IChannelProcessor;
import io.tunnel.sdk.ICheckpointer;
import io.tunnel.sdk.ProcessRecordsInput;
import io.tunnel.sdk.RecordColumn;
import io.tunnel.sdk.StreamRecord;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.State;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TunnelWorkerTest {

  private final FakeServer server = new FakeServer();
  private final List<TunnelWorker> workers = new ArrayList<>();
  private final TunnelClient client =
      new TunnelClient(server.config().withRetryDeadline(Duration.ofMillis(300)));

  @AfterEach
  void close() {
    workers.forEach(TunnelWorker::shutdown);
    client.close();
    server.close();
    assertThat(server.failures()).isEmpty();
  }

  private static TunnelWorkerConfig config(IChannelProcessor processor) {
    TunnelWorkerConfig config = new TunnelWorkerConfig(processor);
    config.setCheckpointIntervalInMillis(3_600_000);
    config.setProcessorThreads(8);
    config.setMaxRetryIntervalInMillis(20);
    return config;
  }

  private TunnelWorker start(TunnelWorkerConfig config) {
    TunnelWorker worker = new TunnelWorker("tunnel", client, config);
    workers.add(worker);
    worker.connectAndWorking();
    return worker;
  }

  private static List<Long> upTo(long last) {
    return LongStream.rangeClosed(1, last).boxed().toList();
  }

  private static void awaitPositions(RecordingProcessor processor, int channel, int count) {
    Waits.until(
        count + " records of channel " + channel,
        () -> processor.positions(channel).size() >= count);
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await(20, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void channels_are_processed_in_parallel_and_each_in_order() {
    FakeTunnel tunnel = new FakeTunnel(server, 4);
    CyclicBarrier allAtOnce = new CyclicBarrier(4);
    AtomicInteger first = new AtomicInteger();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (first.getAndIncrement() < 4) {
                meet(allAtOnce); // Passes only when four channels are in a callback together.
              }
            });
    for (int channel = 0; channel < 4; channel++) {
      tunnel.append(channel, 10);
    }
    start(config(processor));
    for (int round = 0; round < 50; round++) {
      for (int channel = 0; channel < 4; channel++) {
        tunnel.append(channel, 20);
      }
    }
    for (int channel = 0; channel < 4; channel++) {
      awaitPositions(processor, channel, 1_010);
      assertThat(processor.positions(channel)).isEqualTo(upTo(1_010));
    }
    assertThat(processor.overlaps).hasValue(0);
  }

  @Test
  void no_more_channels_are_processed_at_once_than_allowed() {
    FakeTunnel tunnel = new FakeTunnel(server, 6);
    AtomicInteger most = new AtomicInteger();
    AtomicReference<RecordingProcessor> self = new AtomicReference<>();
    RecordingProcessor processor =
        new RecordingProcessor(input -> most.accumulateAndGet(self.get().active.get(), Math::max));
    self.set(processor);
    TunnelWorkerConfig config = config(processor);
    config.setMaxChannelParallel(2);
    start(config);
    for (int round = 0; round < 20; round++) {
      for (int channel = 0; channel < 6; channel++) {
        tunnel.append(channel, 5);
      }
    }
    for (int channel = 0; channel < 6; channel++) {
      awaitPositions(processor, channel, 100);
    }
    assertThat(most.get()).isBetween(1, 2);
  }

  @Test
  void a_blocked_processor_is_read_ahead_of_up_to_the_credit_and_no_further() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              entered.countDown();
              Waits.await(gate);
            });
    TunnelWorkerConfig config = config(processor);
    int credit = 20_000;
    config.setChannelCreditBytes(credit);
    TunnelWorker worker = start(config);
    for (int i = 0; i < 100; i++) {
      tunnel.append(0, 50);
    }
    Waits.await(entered);
    Waits.until("the credit is used up", () -> tunnel.credit(0) <= 0);
    int oneDelivery = 2_000;
    assertThat(tunnel.deliveries(0)).as("reads ahead").isGreaterThan(5);
    assertThat(tunnel.unreturned(0)).isBetween((long) credit, (long) credit + oneDelivery);
    Waits.until(
        "what was delivered waits in the worker",
        () -> worker.status().channels().get(0).bufferedBytes() == tunnel.unreturned(0));
    gate.countDown();
    awaitPositions(processor, 0, 5_000);
    assertThat(processor.positions(0)).isEqualTo(upTo(5_000));
    Waits.until("all credit came back", () -> tunnel.unreturned(0) == 0);
    assertThat(tunnel.credit(0)).isEqualTo(credit);
    assertThat(tunnel.unreturnedMax(0)).isLessThan(credit + oneDelivery);
  }

  @Test
  void what_waits_is_given_together_within_the_limits() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              entered.countDown();
              Waits.await(gate);
            });
    TunnelWorkerConfig config = config(processor);
    config.setProcessRowsMax(25);
    TunnelWorker worker = start(config);
    tunnel.append(0, 1);
    Waits.await(entered);
    assertThat(processor.inputs.get(0).getRecords()).hasSize(1); // A small change does not wait.
    for (int i = 0; i < 6; i++) {
      tunnel.append(0, 10);
    }
    Waits.until(
        "all is delivered and buffered",
        () ->
            tunnel.deliveries(0) == 7
                && worker.status().channels().get(0).bufferedBytes() == tunnel.unreturned(0));
    gate.countDown();
    awaitPositions(processor, 0, 61);
    assertThat(processor.inputs)
        .extracting(input -> input.getRecords().size())
        .containsExactly(1, 20, 20, 20);
  }

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
  void a_processor_that_throws_is_given_the_same_input_again() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    AtomicInteger calls = new AtomicInteger();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (calls.incrementAndGet() < 3) {
                throw new IllegalStateException("not yet");
              }
            });
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 20);
    assertThat(processor.positions(0)).isEqualTo(upTo(20));
    assertThat(processor.inputs.get(0)).isSameAs(processor.inputs.get(2));
    assertThat(worker.status().counters().failed()).isZero();
    assertThat(worker.status().lastError().orElseThrow()).contains("not yet");
  }

  @Test
  void a_processor_that_keeps_throwing_stops_its_channel_and_no_other() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    AtomicInteger attempts = new AtomicInteger();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              boolean isPoison =
                  input.getChannelId().equals("p0_1") && input.getRecords().get(0).position() == 11;
              if (isPoison) {
                attempts.incrementAndGet();
                throw new IllegalStateException("poison");
              }
            });
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.append(0, 10);
    Waits.until("the channel is given back", () -> !tunnel.isHeld(0));
    assertThat(attempts).hasValue(3);
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    assertThat(worker.status().lastError().orElseThrow()).contains("p0_1").contains("poison");
    Waits.until("it is counted", () -> worker.status().counters().failed() == 1);
    tunnel.append(1, 10);
    awaitPositions(processor, 1, 10);
    assertThat(worker.status().channels()).hasSize(1);
    tunnel.assign(0);
    Waits.until("it is held again", () -> worker.status().channels().size() == 2);
    assertThat(worker.status().channels().get(0).state()).isEqualTo("WAITING");
    assertThat(attempts).hasValue(3); // It is taken up only after a pause.
  }

  @Test
  void a_factory_that_throws_gives_the_channel_back() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    TunnelWorker worker =
        new TunnelWorker(
            "tunnel",
            client,
            config(null),
            (tunnelId, clientId, channelId, own) -> {
              throw new IllegalStateException("no processor today");
            });
    workers.add(worker);
    worker.connectAndWorking();
    Waits.until("it is given back", () -> tunnel.events().contains("release 0"));
    assertThat(worker.status().lastError().orElseThrow()).contains("no processor today");
  }

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

  @Test
  void a_channel_that_the_server_cannot_read_stops_with_the_servers_words() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.breakChannel(0, ErrorCode.HISTORY_LOST);
    Waits.until("it is given back", () -> tunnel.events().contains("release 0"));
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    assertThat(worker.status().lastError().orElseThrow()).contains("HISTORY_LOST");
    tunnel.append(1, 10);
    awaitPositions(processor, 1, 10);
  }

  @Test
  void a_delivery_that_is_broken_or_out_of_order_stops_its_channel() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    tunnel.append(1, 10);
    awaitPositions(processor, 0, 10);
    awaitPositions(processor, 1, 10);
    byte[] broken = new byte[Delivery.PREFIX_BYTES + 50];
    Delivery.writePrefix(broken, 0, 0, tunnel.epoch(0), 11);
    tunnel.deliverRaw(0, broken);
    Waits.until("the broken one is given back", () -> tunnel.events().contains("release 0"));
    assertThat(worker.status().lastError().orElseThrow()).contains("batch");
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    Waits.until("it is forgotten", () -> worker.status().channels().size() == 1);
    tunnel.redeliver(1);
    Waits.until("the repeated one too", () -> tunnel.events().contains("release 1"));
    assertThat(worker.status().lastError().orElseThrow()).contains("were delivered after 10");
    assertThat(processor.positions(1)).isEqualTo(upTo(10));
  }

  @Test
  void records_tell_what_changed_and_may_be_kept() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    tunnel.append(0, 10);
    TunnelWorker worker = start(config(processor));
    awaitPositions(processor, 0, 10);
    worker.shutdown();
    ProcessRecordsInput input = processor.inputs.get(0);
    assertThat(input.getNextToken()).isEqualTo("10");
    assertThat(input.getPartitionId()).isEqualTo("p0");
    assertThat(input.firstCommitMicros()).isEqualTo(1_000_001);
    StreamRecord record = input.getRecords().get(9);
    assertThat(record.getRecordType()).isEqualTo(StreamRecord.RecordType.PUT);
    assertThat(record.getPrimaryKey().getPrimaryKeyColumn("id").getValue().asLong()).isEqualTo(2);
    RecordColumn column = record.getColumns().get(0);
    assertThat(column.getColumnType()).isEqualTo(RecordColumn.ColumnType.PUT);
    assertThat(column.getColumn().getValue().asLong()).isEqualTo(10);
    assertThat(record.getSequenceInfo().position()).isEqualTo(10);
    assertThat(record.getOriginColumns()).isEmpty();
    assertThat(record.partition()).isZero();
  }

  @Test
  void a_delivery_that_starts_inside_a_batch_begins_at_its_first_position() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    TunnelWorker first =
        new TunnelWorker(
            "tunnel",
            client,
            config(null),
            (tunnelId, clientId, channelId, checkpointer) ->
                new RecordingProcessor(input -> checkpointer.checkpoint("4")));
    workers.add(first);
    first.connectAndWorking();
    tunnel.append(0, 10);
    Waits.until("a checkpoint inside the batch", () -> tunnel.checkpointed(0) == 4);
    first.shutdown();
    RecordingProcessor processor = new RecordingProcessor();
    start(config(processor));
    awaitPositions(processor, 0, 6);
    assertThat(processor.positions(0)).containsExactly(5L, 6L, 7L, 8L, 9L, 10L);
    assertThat(processor.inputs.get(0).getRecords()).hasSize(6);
  }
}
