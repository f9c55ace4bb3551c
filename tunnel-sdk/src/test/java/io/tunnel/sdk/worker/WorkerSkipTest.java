package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.ChannelProgress;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.processor.FailedRecordException;
import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.tunnel.RetryInfo;
import io.tunnel.sdk.worker.input.RetryRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Skipped changes, and retries of channels. */
class WorkerSkipTest extends WorkerFixture {

  private static final class OddRow extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OddRow(String message) {
      super(message);
    }
  }

  /** Throws at every input with one of the bad positions. */
  private static RecordingProcessor failingAt(Set<Long> bad, boolean isNamed) {
    return new RecordingProcessor(
        input -> {
          for (StreamRecord each : input.getRecords()) {
            if (bad.contains(each.position())) {
              OddRow odd = new OddRow("row " + each.position() + " is odd");
              throw isNamed ? new FailedRecordException(each, odd) : odd;
            }
          }
        });
  }

  private static List<Long> upToWithout(long last, Set<Long> left) {
    return LongStream.rangeClosed(1, last).boxed().filter(each -> !left.contains(each)).toList();
  }

  /** Positions of the calls that returned. */
  private static List<Long> succeeded(RecordingProcessor processor, Set<Long> bad) {
    List<Long> positions = new ArrayList<>();
    for (ProcessRecordsInput input : List.copyOf(processor.inputs)) {
      List<Long> all = input.getRecords().stream().map(StreamRecord::position).toList();
      if (all.stream().noneMatch(bad::contains)) {
        positions.addAll(all);
      }
    }
    return positions;
  }

  @Test
  void a_change_that_the_processor_names_is_left_out_and_stored_with_its_checkpoint() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    Set<Long> bad = Set.of(4L);
    RecordingProcessor processor = failingAt(bad, true);
    TunnelWorkerConfig config = config(processor);
    config.setFailurePolicy((input, error, attempts) -> new FailurePolicy.Skip());
    List<FailedChange> heard = new CopyOnWriteArrayList<>();
    config.setListener(
        new ITunnelWorkerListener() {
          @Override
          public void changeSkipped(String channelId, FailedChange change, Throwable error) {
            heard.add(change);
          }
        });
    TunnelWorker worker = start(config);
    tunnel.append(0, 10);
    Waits.until("the rest is processed", () -> succeeded(processor, bad).size() == 9);
    assertThat(succeeded(processor, bad)).isEqualTo(upToWithout(10, bad));
    assertThat(processor.inputs).as("the whole, before it, behind it").hasSize(3);
    Waits.until("it is stored", () -> tunnel.events().contains("skip 0 4"));
    assertThat(worker.status().counters().skipped()).isEqualTo(1);
    Waits.until("the listener hears it", () -> heard.size() == 1);
    assertThat(heard.get(0).position()).isEqualTo(4);
    assertThat(heard.get(0).changes()).isEqualTo(1);
    tunnel.append(0, 10);
    Waits.until("it goes on", () -> succeeded(processor, bad).size() == 19);
  }

  @Test
  void changes_that_nobody_names_are_found_by_halves_and_each_is_tried_alone_first() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    Set<Long> bad = Set.of(1L, 37L, 38L, 100L);
    RecordingProcessor processor = failingAt(bad, false);
    TunnelWorkerConfig config = config(processor);
    config.setSkipAfterRetries(true);
    config.setProcessPauseMaxInMillis(1);
    TunnelWorker worker = start(config);
    tunnel.append(0, 100);
    Waits.until("the rest is processed", () -> succeeded(processor, bad).size() == 96);
    Waits.until("all is over", () -> worker.status().counters().skipped() == 4);
    assertThat(succeeded(processor, bad)).isEqualTo(upToWithout(100, bad));
    for (long each : bad) {
      long alone =
          processor.inputs.stream()
              .filter(input -> input.getRecords().size() == 1)
              .filter(input -> input.getRecords().get(0).position() == each)
              .count();
      assertThat(alone).as("tries of " + each + " alone").isEqualTo(3);
    }
    worker.shutdown();
    assertThat(tunnel.checkpointed(0)).isEqualTo(100);
    assertThat(tunnel.events()).contains("skip 0 1", "skip 0 37", "skip 0 38", "skip 0 100");
    assertThat(worker.status().counters().failed()).isZero();
  }

  @Test
  void a_type_of_failure_is_skipped_and_others_are_retried() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    AtomicBoolean isDown = new AtomicBoolean(true);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (isDown.get()) {
                throw new IllegalStateException("the database is away");
              }
              if (input.getRecords().get(0).position() == 1) {
                throw new IllegalStateException("wrapped", new OddRow("odd"));
              }
            });
    TunnelWorkerConfig config = config(processor);
    config.setProcessAttemptsMax(Integer.MAX_VALUE);
    config.setSkippedFailures(List.of(OddRow.class));
    TunnelWorker worker = start(config);
    tunnel.append(0, 2);
    Waits.until("it is retried", () -> worker.status().counters().retries() >= 5);
    assertThat(worker.status().counters().skipped()).isZero();
    isDown.set(false);
    Waits.until("the odd one is left out", () -> tunnel.events().contains("skip 0 1"));
    assertThat(worker.status().counters().skipped()).isEqualTo(1);
  }

  @Test
  void a_channel_that_is_retried_says_so_and_ends_without_waiting_for_the_pause() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              if (input.getChannelId().startsWith("p0")) {
                throw new IllegalStateException("the database is away");
              }
            });
    TunnelWorkerConfig config = new TunnelWorkerConfig(processor);
    config.setProcessPauseMaxInMillis(3_600_000);
    config.setFailurePolicy(
        (input, error, attempts) -> new FailurePolicy.Retry(Duration.ofHours(1)));
    List<RetryInfo> heard = new CopyOnWriteArrayList<>();
    config.setListener(
        new ITunnelWorkerListener() {
          @Override
          public void retrying(String channelId, RetryInfo retry) {
            heard.add(retry);
          }
        });
    TunnelWorker worker = start(config);
    tunnel.append(0, 10);
    Waits.until("it is retried", () -> retrying(worker).size() == 1);
    ChannelProgress channel = retrying(worker).get(0);
    assertThat(channel.state()).isEqualTo("RETRYING");
    RetryInfo retry = channel.retry().orElseThrow();
    assertThat(retry.attempts()).isEqualTo(1);
    assertThat(retry.nextInMs()).isBetween(3_000_000L, 3_600_000L);
    assertThat(retry.error()).contains("the database is away");
    assertThat(retry.at().orElseThrow().position()).isEqualTo(1);
    assertThat(retry.at().orElseThrow().changes()).isEqualTo(10);
    Waits.until("the listener hears it", () -> heard.size() == 1);
    tunnel.append(1, 10);
    awaitPositions(processor, 1, 10);
    worker.shutdown();
    assertThat(worker.status().channels()).isEmpty();
    assertThat(tunnel.checkpointed(0)).isZero();
    assertThat(tunnel.checkpointed(1)).isEqualTo(10);
  }

  private static List<ChannelProgress> retrying(TunnelWorker worker) {
    return worker.status().channels().stream().filter(each -> each.retry().isPresent()).toList();
  }

  @Test
  void an_input_is_retried_for_a_time_and_not_for_a_number_of_attempts_by_default() {
    TunnelWorkerConfig plain = new TunnelWorkerConfig();
    assertThat(plain.processRetryInMillis()).isEqualTo(600_000);
    WorkerSettings settings = WorkerSettings.of("tunnel", server.config(), plain, true);
    RetryRules rules = settings.processing().rules();
    long minute = 60_000_000_000L;
    IllegalStateException error = new IllegalStateException("away");
    assertThat(rules.decide(error, 1, 0, 0))
        .isEqualTo(new FailurePolicy.Retry(Duration.ofMillis(100)));
    assertThat(rules.decide(error, 3, minute, 0))
        .isEqualTo(new FailurePolicy.Retry(Duration.ofMillis(400)));
    assertThat(rules.decide(error, 1_000, 9 * minute, 0))
        .isEqualTo(new FailurePolicy.Retry(Duration.ofSeconds(30)));
    assertThat(rules.decide(error, 1_000, 9 * minute, 0.5))
        .as("with jitter")
        .isEqualTo(new FailurePolicy.Retry(Duration.ofMillis(22_500)));
    assertThat(rules.decide(error, 1_000, 10 * minute, 0)).isEqualTo(new FailurePolicy.Stop());
  }

  @Test
  void who_checkpoints_by_itself_passes_what_was_left_out_without_a_word() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    TunnelWorkerConfig config = config(null);
    config.setSkippedFailures(List.of(OddRow.class));
    Set<Long> bad = Set.of(1L, 5L, 10L);
    var unused = start(config, (tunnelId, clientId, channelId, own) -> new Marking(own, bad));
    tunnel.append(0, 10);
    Waits.until("all is checkpointed", () -> tunnel.checkpointed(0) == 10);
    assertThat(tunnel.events()).contains("skip 0 1", "skip 0 5", "skip 0 10");
  }

  @Test
  void all_that_was_given_is_checkpointed_also_when_the_last_change_of_it_was_left_out() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = failingAt(Set.of(11L), false);
    AtomicReference<ICheckpointer> own = new AtomicReference<>();
    TunnelWorkerConfig config = config(null);
    config.setSkippedFailures(List.of(OddRow.class));
    TunnelWorker worker =
        start(
            config,
            (tunnelId, clientId, channelId, checkpointer) -> {
              own.set(checkpointer);
              return processor;
            });
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    own.get().checkpoint(null);
    tunnel.append(0, 1);
    Waits.until("the odd one is passed", () -> checkpointed(worker) == 11);
    own.get().checkpoint(null);
    own.get().checkpointAsync(null).join();
    assertThat(tunnel.checkpointed(0)).isEqualTo(11);
    tunnel.append(0, 1);
    Waits.until("the next is processed", () -> succeeded(processor, Set.of(11L)).size() == 11);
    own.get().checkpoint(null);
    assertThat(tunnel.checkpointed(0)).isEqualTo(12);
  }

  private static long checkpointed(TunnelWorker worker) {
    return worker.status().channels().get(0).checkpointed();
  }

  /** Marks each input as done after processing. */
  private record Marking(ICheckpointer checkpointer, Set<Long> bad) implements IChannelProcessor {

    @Override
    public void process(ProcessRecordsInput input) {
      if (input.getRecords().stream().anyMatch(each -> bad.contains(each.position()))) {
        throw new OddRow("odd");
      }
      var unused = checkpointer.checkpointAsync(input.getNextToken());
    }

    @Override
    public void shutdown() {}
  }
}
