package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.worker.input.RetryRules;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each option of a worker reaches the worker, in its unit, and changes nothing else. */
final class WorkerSettingsTest {

  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long MILLI_NANOS = 1_000_000;

  private static final FailurePolicy POLICY = (input, error, attempts) -> new FailurePolicy.Stop();
  private static final ITunnelWorkerListener LISTENER = new ITunnelWorkerListener() {};

  /** What a worker does by its options; times in nanoseconds. */
  private static final Map<String, Function<WorkerSettings, Object>> SEEN =
      Map.ofEntries(
          Map.entry("lease", of -> of.session().lease().toNanos()),
          Map.entry("heartbeat", of -> of.session().heartbeat().toNanos()),
          Map.entry("tag", of -> of.session().clientTag()),
          Map.entry("channels", of -> of.session().maxChannels()),
          Map.entry("reconnect", of -> of.session().reconnect().longestNanos(1_000)),
          Map.entry("listener", of -> of.session().listener()),
          Map.entry("rows of an input", of -> of.channel().processRowsMax()),
          Map.entry("bytes of an input", of -> of.channel().processBytesMax()),
          Map.entry("checkpoint", of -> of.channel().checkpointNanos()),
          Map.entry("threads", of -> of.processing().threads()),
          Map.entry("buffer", of -> of.processing().bufferBytesMax()),
          Map.entry("credit", of -> of.processing().channelBytesMax()),
          Map.entry("policy", of -> of.processing().policy()),
          Map.entry("attempts", of -> rules(of).attemptsMax()),
          Map.entry("retries", of -> rules(of).forNanos()),
          Map.entry("pause", of -> rules(of).pauses().pauseNanos(1_000, 0)),
          Map.entry("skips at last", of -> rules(of).skipsAtLast()),
          Map.entry("skips at once", of -> rules(of).isSkipped().test(new ArithmeticException())),
          Map.entry("shutdown", of -> of.shutdownDeadline().toNanos()));

  /**
   * A value of an option.
   *
   * @param seen the name in {@link #SEEN} of what the option is about
   * @param expected what is seen there
   */
  record Choice(String option, Consumer<TunnelWorkerConfig> setting, String seen, Object expected) {
    @Override
    public String toString() {
      return option;
    }
  }

  static Stream<Choice> choices() {
    return Stream.of(
        new Choice(
            "heartbeatTimeoutInSec",
            to -> to.setHeartbeatTimeoutInSec(77),
            "lease",
            77 * SECOND_NANOS),
        new Choice(
            "heartbeatIntervalInSec",
            to -> to.setHeartbeatIntervalInSec(3),
            "heartbeat",
            3 * SECOND_NANOS),
        new Choice(
            "checkpointIntervalInMillis",
            to -> to.setCheckpointIntervalInMillis(123),
            "checkpoint",
            123 * MILLI_NANOS),
        new Choice("clientTag", to -> to.setClientTag("me"), "tag", "me"),
        new Choice("maxChannelParallel", to -> to.setMaxChannelParallel(3), "threads", 3),
        new Choice("maxChannels", to -> to.setMaxChannels(4), "channels", 4),
        new Choice("processorThreads", to -> to.setProcessorThreads(5), "threads", 5),
        new Choice("channelCreditBytes", to -> to.setChannelCreditBytes(6_001), "credit", 6_001),
        new Choice("bufferBytesMax", to -> to.setBufferBytesMax(77_777), "buffer", 77_777L),
        new Choice("processRowsMax", to -> to.setProcessRowsMax(8), "rows of an input", 8),
        new Choice("processBytesMax", to -> to.setProcessBytesMax(9), "bytes of an input", 9),
        new Choice("processAttemptsMax", to -> to.setProcessAttemptsMax(10), "attempts", 10),
        new Choice(
            "processRetryInMillis",
            to -> to.setProcessRetryInMillis(1_234),
            "retries",
            1_234 * MILLI_NANOS),
        new Choice(
            "processPauseMaxInMillis",
            to -> to.setProcessPauseMaxInMillis(2_345),
            "pause",
            2_345 * MILLI_NANOS),
        new Choice("skipAfterRetries", to -> to.setSkipAfterRetries(true), "skips at last", true),
        new Choice(
            "skippedFailures",
            to -> to.setSkippedFailures(List.of(ArithmeticException.class)),
            "skips at once",
            true),
        new Choice(
            "maxRetryIntervalInMillis",
            to -> to.setMaxRetryIntervalInMillis(3_456),
            "reconnect",
            3_456 * MILLI_NANOS),
        new Choice(
            "shutdownDeadlineInMillis",
            to -> to.setShutdownDeadlineInMillis(4_567),
            "shutdown",
            4_567 * MILLI_NANOS),
        new Choice(
            "failurePolicy", to -> to.setFailurePolicy(POLICY), "policy", Optional.of(POLICY)),
        new Choice("listener", to -> to.setListener(LISTENER), "listener", Optional.of(LISTENER)));
  }

  private static RetryRules rules(WorkerSettings settings) {
    return settings.processing().rules();
  }

  private static TunnelWorkerConfig plain() {
    TunnelWorkerConfig config = new TunnelWorkerConfig();
    config.setClientTag("plain");
    return config;
  }

  private static WorkerSettings settings(TunnelWorkerConfig config, boolean checkpointsByItself) {
    return WorkerSettings.of("id", ClientConfig.of("localhost"), config, checkpointsByItself);
  }

  private static Map<String, Object> seen(WorkerSettings settings) {
    Map<String, Object> seen = new TreeMap<>();
    SEEN.forEach((name, look) -> seen.put(name, look.apply(settings)));
    return seen;
  }

  @ParameterizedTest
  @MethodSource("choices")
  void an_option_reaches_the_worker_in_its_unit_and_alone(Choice choice) {
    Map<String, Object> expected = seen(settings(plain(), true));
    assertThat(expected.put(choice.seen(), choice.expected())).isNotEqualTo(choice.expected());
    TunnelWorkerConfig config = plain();
    choice.setting().accept(config);
    assertThat(seen(settings(config, true))).isEqualTo(expected);
    assertThat(seen(settings(config, true).of("other"))).as("another tunnel").isEqualTo(expected);
  }

  /** The processor itself goes to the worker by another way. */
  @Test
  void no_option_is_missing_here() {
    assertThat(choices().map(Choice::option))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(TunnelWorkerConfig.class.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .map(Field::getName)
                .filter(name -> !name.equals("channelProcessor"))
                .toList());
  }

  @ParameterizedTest
  @CsvSource({"30, 5, 5000", "30, 10, 10000", "30, 11, 10000", "2, 5, 666"})
  void a_lease_has_three_heartbeats_or_more(long timeoutSec, long intervalSec, long heartbeatMs) {
    TunnelWorkerConfig config = plain();
    config.setHeartbeatTimeoutInSec(timeoutSec);
    config.setHeartbeatIntervalInSec(intervalSec);
    assertThat(settings(config, true).session().heartbeat().toMillis()).isEqualTo(heartbeatMs);
  }

  @Test
  void a_processor_that_checkpoints_is_not_disturbed_by_the_worker() {
    assertThat(settings(plain(), false).channel().isManual()).isTrue();
    assertThat(settings(plain(), true).channel().isManual()).isFalse();
  }

  @Test
  void the_first_pause_is_no_longer_than_the_longest() {
    TunnelWorkerConfig config = plain();
    config.setProcessPauseMaxInMillis(7);
    assertThat(rules(settings(config, true)).pauses().pauseNanos(1, 0)).isEqualTo(7 * MILLI_NANOS);
    assertThat(Duration.ofNanos(rules(settings(plain(), true)).pauses().pauseNanos(1, 0)))
        .isEqualTo(Duration.ofMillis(100));
  }
}
