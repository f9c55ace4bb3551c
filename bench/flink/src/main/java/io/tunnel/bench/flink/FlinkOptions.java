package io.tunnel.bench.flink;

import io.tunnel.bench.flink.LegOrder.Pace;
import io.tunnel.bench.flink.recovery.RecoveryOrder;
import io.tunnel.programs.bench.peer.BatchSettings;
import io.tunnel.programs.bench.peer.Look;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** What can be chosen. */
public final class FlinkOptions {

  static final String READ = "read";
  static final String RECOVERY = "recovery";

  /** Of Kafka's producer. */
  public static final String ACKS = "1";

  private static final int TABLE_PARTITIONS_MAX = 128;

  @Option(names = "--rows", description = "Rows of the table (default: ${DEFAULT-VALUE}).")
  long rows = 3_000_000;

  @Option(names = "--partitions", description = "Of table and topic (default: ${DEFAULT-VALUE}).")
  public int partitions = 4;

  @Option(names = "--parallelism", description = "Of jobs (default: ${DEFAULT-VALUE}).")
  int parallelism = 2;

  @Option(names = "--rounds", description = "Processes of each leg (default: ${DEFAULT-VALUE}).")
  int rounds = 3;

  @Option(
      names = "--warm-seconds",
      description = "Passes of a leg before these do not count (default: ${DEFAULT-VALUE}).")
  int warmSeconds = 5;

  @Option(
      names = "--leg-seconds",
      description = "How long passes of a leg begin that count (default: ${DEFAULT-VALUE}).")
  int legSeconds = 7;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "TEST",
      description = "Some of read,recovery (default: both).")
  List<String> only = List.of(READ, RECOVERY);

  @Option(
      names = "--look",
      split = ",",
      paramLabel = "LOOK",
      description = "What is done with rows, some of count,decode (default: both).")
  List<Look> looks = List.of(Look.COUNT, Look.DECODE);

  @Option(
      names = "--reader",
      split = ",",
      paramLabel = "READER",
      description = "Some of worker,tunnel,kafka (default: all).")
  public List<Reader> readers = List.of(Reader.values());

  @Option(names = "--failures", description = "Failing tasks (default: ${DEFAULT-VALUE}).")
  int failures = 7;

  @Option(names = "--savepoints", description = "Stops and starts (default: ${DEFAULT-VALUE}).")
  int savepoints = 5;

  @Option(
      names = "--live-rate",
      description = "Rows a second under the job that recovers (default: ${DEFAULT-VALUE}).")
  int liveRate = 10_000;

  @Option(names = "--checkpoint-ms", description = "Between two (default: ${DEFAULT-VALUE}).")
  int checkpointMs = 500;

  @Option(
      names = "--lag-ms",
      description = "Below it in all partitions is caught up (default: ${DEFAULT-VALUE}).")
  int lagMs = 200;

  @Option(names = "--heap-mib", description = "Of each leg's JVM (default: ${DEFAULT-VALUE}).")
  int heapMib = 1024;

  @Option(
      names = "--jvm",
      paramLabel = "OPTION",
      description = "A further option of each leg's JVM, such as one of a profiler.")
  List<String> jvmOptions = List.of();

  @Option(names = "--dir", description = "Where the temporary directory is made.")
  Path dir = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(
      names = "--leg-seconds-max",
      description = "Longest leg with its start (default: ${DEFAULT-VALUE}).")
  int legSecondsMax = 180;

  @Option(
      names = "--minutes-max",
      description = "Then everything is stopped (default: ${DEFAULT-VALUE}).")
  int minutesMax = 30;

  /** Refuses what cannot be measured. */
  void require() {
    atLeast(1_000, rows, "--rows");
    atLeast(1, partitions, "--partitions");
    atLeast(1, parallelism, "--parallelism");
    atLeast(1, rounds, "--rounds");
    atLeast(0, warmSeconds, "--warm-seconds");
    atLeast(0, legSeconds, "--leg-seconds");
    atLeast(0, failures, "--failures");
    atLeast(0, savepoints, "--savepoints");
    atLeast(100, liveRate, "--live-rate");
    atLeast(10, checkpointMs, "--checkpoint-ms");
    atLeast(1, lagMs, "--lag-ms");
    atLeast(256, heapMib, "--heap-mib");
    atLeast(1, legSecondsMax, "--leg-seconds-max");
    atLeast(1, minutesMax, "--minutes-max");
    if (partitions > TABLE_PARTITIONS_MAX) {
      throw new IllegalArgumentException(
          "--partitions is at most " + TABLE_PARTITIONS_MAX + ", not " + partitions);
    }
    if (parallelism > partitions) {
      throw new IllegalArgumentException(
          "--parallelism " + parallelism + " leaves readers without one of the partitions");
    }
    if (looks.isEmpty() || !List.of(Look.COUNT, Look.DECODE).containsAll(looks)) {
      throw new IllegalArgumentException("--look knows count and decode, not " + looks);
    }
    if (only.isEmpty() || !List.of(READ, RECOVERY).containsAll(only)) {
      throw new IllegalArgumentException("--only knows read and recovery, not " + only);
    }
    if (readers.isEmpty()) {
      throw new IllegalArgumentException("--reader wants worker, tunnel or kafka");
    }
  }

  private static void atLeast(long least, long value, String option) {
    if (value < least) {
      throw new IllegalArgumentException(option + " is at least " + least + ", not " + value);
    }
  }

  Pace pace() {
    return new Pace(warmSeconds, legSeconds);
  }

  /** What a job that recovers does on an empty table; savepoints go to {@code directory}. */
  public RecoveryOrder recovery(Reader reader, String endpoint, String table, Path directory) {
    return new RecoveryOrder(
        reader,
        endpoint,
        table,
        new RecoveryOrder.Shape(partitions, parallelism, liveRate, checkpointMs, lagMs),
        new RecoveryOrder.Times(failures, savepoints),
        directory.toUri().toString());
  }

  List<String> legOptions() {
    List<String> options = new ArrayList<>();
    options.add("-Xmx" + heapMib + "m");
    options.addAll(jvmOptions);
    return options;
  }

  /** How both tables are filled. */
  public static BatchSettings batches() {
    return new BatchSettings(5, 64L << 20, 64 << 10, 256 << 10);
  }

  Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("rows", rows);
    map.put("partitions", partitions);
    map.put("parallelism", parallelism);
    map.put("rounds", rounds);
    map.put("warmSeconds", warmSeconds);
    map.put("legSeconds", legSeconds);
    map.put("failures", failures);
    map.put("savepoints", savepoints);
    map.put("liveRate", liveRate);
    map.put("checkpointMs", checkpointMs);
    map.put("lagMs", lagMs);
    map.put("legOptions", legOptions());
    map.put("cores", Runtime.getRuntime().availableProcessors());
    map.put("java", System.getProperty("java.runtime.version"));
    return map;
  }
}
