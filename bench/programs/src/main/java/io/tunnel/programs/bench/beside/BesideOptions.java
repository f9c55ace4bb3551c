package io.tunnel.programs.bench.beside;

import io.tunnel.model.Limits;
import io.tunnel.programs.bench.peer.BatchSettings;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.terminal.CommandFailure;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Option;

/** What every program can be told that measures side by side. */
public final class BesideOptions {

  static final long ROWS_MIN = 1_000;
  static final long ROWS_MAX = 100_000_000;
  static final int ROUNDS_MAX = 100;
  static final int LATENCY_SECONDS_MAX = 600;
  static final long LATENCY_RATE_MAX = 100_000_000;
  static final int IDLE_ROWS_MAX = 100_000;
  static final int LINGER_MS_MAX = 1_000;
  static final int KAFKA_BATCH_BYTES_MAX = 16 << 20;
  static final int MINUTES_MAX = 7 * 24 * 60;

  /** What Kafka's producer may hold; our writer has its default of 8 MiB. */
  private static final long KAFKA_BUFFER_BYTES = 64L << 20;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Rows of a round (default: ${DEFAULT-VALUE}).")
  private long rows;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Rounds of each, whose median counts (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      description =
          "Some of write, table, read, latency (default: all that can be measured here). With table,"
              + " rows are written into a table: Kafka's is one that a program with Kafka Streams"
              + " keeps of the topic.")
  private List<Part> only;

  @Option(
      names = "--look",
      split = ",",
      paramLabel = "LOOK",
      defaultValue = "count,touch,decode",
      description = "What readers do with rows, some of count, touch, decode (default: all).")
  private List<Look> looks;

  @Option(
      names = "--latency-rate",
      paramLabel = "R",
      description =
          "Rows a second of the latencies under load (default: half of what the slower one"
              + " writes).")
  private Long latencyRate;

  @Option(
      names = "--latency-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long a round of latencies under load is (default: ${DEFAULT-VALUE}).")
  private int latencySeconds;

  @Option(
      names = "--idle-rows",
      paramLabel = "N",
      defaultValue = "500",
      description =
          "Rows of a round of idle latencies, one every 10 ms (default: ${DEFAULT-VALUE}).")
  private int idleRows;

  @Option(
      names = "--linger-ms",
      paramLabel = "N",
      defaultValue = "5",
      description = "How long a row waits for others, of both (default: ${DEFAULT-VALUE}).")
  private int lingerMs;

  @Option(
      names = "--kafka-batch-bytes",
      paramLabel = "N",
      defaultValue = "65536",
      description = "batch.size of Kafka's producer (default: ${DEFAULT-VALUE}).")
  private int kafkaBatchBytes;

  @Option(
      names = "--tunnel-batch-bytes",
      paramLabel = "N",
      defaultValue = "262144",
      description = "batchBytesMax of our writer (default: ${DEFAULT-VALUE}).")
  private int tunnelBatchBytes;

  @Option(
      names = "--minutes-max",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "A run that takes longer ends at its next step, without a report"
              + " (default: ${DEFAULT-VALUE}).")
  private int minutesMax;

  /** For picocli. */
  public BesideOptions() {}

  /** Whether a part was asked for by its name. */
  public boolean names(Part part) {
    return only != null && only.contains(part);
  }

  /**
   * What was asked for.
   *
   * @param possible what can be measured here
   * @throws CommandFailure when that cannot be measured
   */
  public BesidePlan plan(Set<Part> possible) {
    long rate = latencyRate == null ? 0 : latencyRate;
    CommandFailure.requireRange("--rows", rows, ROWS_MIN, ROWS_MAX);
    CommandFailure.requireRange("--rounds", rounds, 1, ROUNDS_MAX);
    CommandFailure.requireRange("--latency-seconds", latencySeconds, 1, LATENCY_SECONDS_MAX);
    CommandFailure.requireRange("--idle-rows", idleRows, 1, IDLE_ROWS_MAX);
    CommandFailure.requireRange("--linger-ms", lingerMs, 0, LINGER_MS_MAX);
    CommandFailure.requireRange("--kafka-batch-bytes", kafkaBatchBytes, 1, KAFKA_BATCH_BYTES_MAX);
    CommandFailure.requireRange(
        "--tunnel-batch-bytes", tunnelBatchBytes, 1, Limits.BATCH_BYTES_MAX);
    CommandFailure.requireRange("--minutes-max", minutesMax, 1, MINUTES_MAX);
    if (latencyRate != null) {
      CommandFailure.requireRange("--latency-rate", rate, 1, LATENCY_RATE_MAX);
    }
    if (looks.contains(Look.SEQUENCE)) {
      throw CommandFailure.usage("--look is some of count, touch, decode, not sequence");
    }
    return new BesidePlan(
        rows,
        rounds,
        parts(possible),
        List.copyOf(new TreeSet<>(looks)),
        new BesidePlan.LatencyPlan(rate, latencySeconds, idleRows),
        new BatchSettings(lingerMs, KAFKA_BUFFER_BYTES, kafkaBatchBytes, tunnelBatchBytes));
  }

  private Set<Part> parts(Set<Part> possible) {
    if (only == null) {
      return possible;
    }
    for (Part part : only) {
      if (!possible.contains(part)) {
        throw CommandFailure.usage(
            "--only " + part.name().toLowerCase(Locale.ROOT) + " cannot be measured here");
      }
    }
    return Set.copyOf(only);
  }

  /** Then no further step is begun. */
  public int minutesMax() {
    return minutesMax;
  }
}
