package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.wire.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Failures of processors, and of the delivery of channels. */
class WorkerFailureTest extends WorkerFixture {

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
    assertThat(attempts).as("three, and ever smaller halves: 5, 2 and 1 of 10").hasValue(6);
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    assertThat(worker.status().lastError().orElseThrow()).contains("p0_1").contains("poison");
    Waits.until("it is counted", () -> worker.status().counters().failed() == 1);
    tunnel.append(1, 10);
    awaitPositions(processor, 1, 10);
    assertThat(worker.status().channels()).hasSize(1);
    assertThat(tunnel.events())
        .contains("stop 0 java.lang.IllegalStateException: poison")
        .doesNotContain("release 0");
    assertThat(processor.farewells).containsExactly("closing p0_1");
    tunnel.assign(0); // An operator has resumed it.
    Waits.until("it is tried again", () -> attempts.get() > 6);
  }

  @Test
  void a_channel_without_a_policy_stops_at_the_one_change_that_fails() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (input.getRecords().stream().anyMatch(record -> record.position() == 17)) {
                throw new IllegalStateException("poison");
              }
            });
    start(config(processor));
    tunnel.append(0, 30);
    Waits.until("the channel is given back", () -> !tunnel.isHeld(0));
    assertThat(tunnel.checkpointed(0)).as("all before it").isEqualTo(16);
    assertThat(tunnel.stoppedAt())
        .hasValueSatisfying(
            at -> {
              assertThat(at.position()).isEqualTo(17);
              assertThat(at.changes()).isEqualTo(1);
            });
  }

  @Test
  void a_factory_that_keeps_throwing_stops_the_channel() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    AtomicInteger calls = new AtomicInteger();
    TunnelWorker worker =
        new TunnelWorker(
            "tunnel",
            client,
            config(null),
            (tunnelId, clientId, channelId, own) -> {
              calls.incrementAndGet();
              throw new IllegalStateException("no processor today");
            });
    workers.add(worker);
    worker.connectAndWorking();
    Waits.until("it is given back", () -> !tunnel.isHeld(0));
    assertThat(tunnel.events())
        .containsExactly("open s1", "stop 0 java.lang.IllegalStateException: no processor today");
    assertThat(calls).hasValue(3);
    assertThat(worker.status().lastError().orElseThrow()).contains("no processor today");
  }

  @Test
  void a_channel_that_the_server_cannot_read_stops_with_the_servers_words() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.breakChannel(0, ErrorCode.HISTORY_LOST);
    Waits.until("it is forgotten", () -> worker.status().channels().size() == 1);
    assertThat(processor.farewells).containsExactly("closing p0_1");
    assertThat(tunnel.events())
        .anyMatch(event -> event.startsWith("stop 0 ") && event.contains("HISTORY_LOST"));
    assertThat(worker.status().counters().failed()).isEqualTo(1);
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
    Waits.until("the broken one is given back", () -> !tunnel.isHeld(0));
    assertThat(worker.status().lastError().orElseThrow()).contains("batch");
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    Waits.until("it is forgotten", () -> worker.status().channels().size() == 1);
    tunnel.redeliver(1);
    Waits.until("the repeated one too", () -> !tunnel.isHeld(1));
    assertThat(tunnel.events().get(tunnel.events().size() - 1))
        .startsWith("stop 1 ")
        .contains("were delivered after 10");
    assertThat(worker.status().lastError().orElseThrow()).contains("were delivered after 10");
    assertThat(processor.positions(1)).isEqualTo(upTo(10));
  }

  @Test
  void a_policy_decides_how_often_and_when_an_input_is_tried() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    AtomicInteger calls = new AtomicInteger();
    List<Integer> asked = new CopyOnWriteArrayList<>();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (calls.incrementAndGet() <= 5) {
                throw new IllegalStateException("not yet");
              }
            });
    TunnelWorkerConfig config = config(processor);
    config.setProcessAttemptsMax(1); // Is for the default policy alone.
    config.setFailurePolicy(
        (input, error, attempts) -> {
          asked.add(attempts);
          return new FailurePolicy.Retry(Duration.ZERO);
        });
    var unused = start(config);
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    assertThat(asked).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void a_policy_that_says_stop_or_throws_itself_stops_the_channel() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              throw new IllegalStateException("poison");
            });
    TunnelWorkerConfig config = config(processor);
    config.setFailurePolicy(
        (input, error, attempts) -> {
          if (input.getChannelId().startsWith("p0")) {
            return new FailurePolicy.Stop();
          }
          throw new IllegalStateException("undecided");
        });
    var unused = start(config);
    tunnel.append(0, 10);
    tunnel.append(1, 10);
    Waits.until("both are given back", () -> !tunnel.isHeld(0) && !tunnel.isHeld(1));
    assertThat(tunnel.events())
        .contains(
            "stop 0 java.lang.IllegalStateException: poison",
            "stop 1 java.lang.IllegalStateException: poison");
    assertThat(processor.inputs)
        .as("no retry, but each channel's ten changes, and halves of them down to the first change")
        .extracting(input -> input.getRecords().size())
        .containsExactlyInAnyOrder(10, 10, 5, 5, 2, 2, 1, 1);
    assertThatThrownBy(() -> new FailurePolicy.Retry(Duration.ofMillis(-1)))
        .hasMessageContaining("0 to PT1H, not PT-0.001S");
    assertThatThrownBy(() -> new FailurePolicy.Retry(Duration.ofHours(2)))
        .hasMessageContaining("not PT2H");
  }

  /** Every length limit behind the name of the exception cuts an emoji. */
  @Test
  void what_a_processor_says_may_be_cut_inside_of_a_character() {
    FakeTunnel tunnel = new FakeTunnel(server, 4);
    AtomicInteger odd = new AtomicInteger();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (!input.getChannelId().startsWith("p3")) {
                odd.incrementAndGet();
                throw new IllegalStateException("\ud83d\ude00".repeat(600));
              }
            });
    TunnelWorkerConfig config = config(processor);
    config.setHeartbeatTimeoutInSec(1);
    config.setFailurePolicy(
        (input, error, attempts) ->
            switch (input.getChannelId().substring(0, 2)) {
              case "p0" -> new FailurePolicy.Retry(Duration.ofHours(1));
              case "p1" -> new FailurePolicy.Stop();
              default -> new FailurePolicy.Skip();
            });
    TunnelWorker worker = start(config);
    tunnel.append(0, 1);
    tunnel.append(1, 1);
    tunnel.append(2, 1);
    Waits.until("all have failed", () -> odd.get() == 3);
    int before = tunnel.heartbeats();
    Waits.until("it is said that one is retried", () -> tunnel.heartbeats() >= before + 2);
    Waits.until("the second is stopped", () -> !tunnel.isHeld(1));
    Waits.until("the third goes on", () -> tunnel.events().contains("skip 2 1"));
    assertThat(tunnel.events())
        .contains("stop 1 java.lang.IllegalStateException: " + "\ud83d\ude00".repeat(483));
    tunnel.append(3, 10);
    awaitPositions(processor, 3, 10);
    assertThat(tunnel.sessions()).isEqualTo(1);
    assertThat(worker.status().channels()).hasSize(3);
  }

  @Test
  void a_stuck_processor_keeps_its_lease_its_memory_and_other_channels_going() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    CountDownLatch gate = new CountDownLatch(1);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (input.getChannelId().startsWith("p0")) {
                Waits.await(gate);
              }
            });
    TunnelWorkerConfig config = config(processor);
    config.setHeartbeatTimeoutInSec(1);
    config.setChannelCreditBytes(20_000);
    TunnelWorker worker = start(config);
    for (int i = 0; i < 100; i++) {
      tunnel.append(0, 50);
      tunnel.append(1, 50);
    }
    awaitPositions(processor, 1, 5_000);
    int before = tunnel.heartbeats();
    Waits.until("heartbeats go on", () -> tunnel.heartbeats() >= before + 4);
    assertThat(tunnel.sessions()).isEqualTo(1);
    assertThat(worker.status().channels().get(0).bufferedBytes()).isBetween(20_000L, 22_000L);
    gate.countDown();
    awaitPositions(processor, 0, 5_000);
  }
}
