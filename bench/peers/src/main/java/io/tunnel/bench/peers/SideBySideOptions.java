package io.tunnel.bench.peers;

import io.tunnel.bench.children.Secured;
import io.tunnel.cli.bench.peer.BatchSettings;
import io.tunnel.cli.bench.peer.Look;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What can be chosen. */
final class SideBySideOptions {

  @Option(names = "--rows", description = "Rows of a round (default: ${DEFAULT-VALUE}).")
  long rows = 2_000_000;

  @Option(names = "--partitions", description = "Of tables and topics (default: 8).")
  int partitions = 8;

  @Option(names = "--rounds", description = "Measured rounds of each peer (default: 3).")
  int rounds = 3;

  @Option(names = "--writers", description = "Writing threads (default: 2).")
  int writers = 2;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "TEST",
      description = "Some of write,read,latency (default: all).")
  List<String> only = List.of("write", "read", "latency");

  @Option(
      names = "--look",
      split = ",",
      paramLabel = "LOOK",
      description = "What readers do with rows, some of count,touch,decode (default: all).")
  List<Look> looks = List.of(Look.COUNT, Look.TOUCH, Look.DECODE);

  @Option(
      names = "--nodes",
      split = ",",
      paramLabel = "N",
      description = "Beside one server, clusters of so many nodes on the same Kafka.")
  List<Integer> nodes = List.of();

  @Option(
      names = "--security",
      paramLabel = "DIR",
      description = "Both speak TLS, with the certificate that 'tunnel security init' made there.")
  Path security;

  @Option(names = "--linger-ms", description = "Of both writers (default: 5).")
  int lingerMs = 5;

  @Option(names = "--kafka-batch-bytes", description = "batch.size (default: 65536).")
  int kafkaBatchBytes = 64 * 1024;

  @Option(names = "--tunnel-batch-bytes", description = "batchBytesMax (default: 262144).")
  int tunnelBatchBytes = 256 * 1024;

  @Option(
      names = "--latency-rate",
      description = "Rows a second (default: half of what the slower one writes).")
  long latencyRate;

  @Option(names = "--latency-seconds", description = "Of a round under load (default: 10).")
  int latencySeconds = 10;

  @Option(names = "--idle-rows", description = "Rows, one every 10 ms (default: 500).")
  int idleRows = 500;

  @Option(names = "--dir", description = "Where the temporary directory is made.")
  Path dir = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(names = "--round-seconds-max", description = "Longest round (default: 300).")
  int roundSecondsMax = 300;

  @Option(names = "--minutes-max", description = "Then everything is stopped (default: 60).")
  int minutesMax = 60;

  Secured secured() {
    return new Secured(Optional.ofNullable(security));
  }

  /** Refuses what cannot be measured. */
  void require() {
    if (rows < 1_000 || rounds < 1 || partitions < 1 || writers < 1 || idleRows < 1) {
      throw new IllegalArgumentException("too small a number, or fewer than 1000 rows");
    }
    if (security != null && !nodes.isEmpty()) {
      throw new IllegalArgumentException("--security is of one server: without --nodes");
    }
    if (latencySeconds < 1 || latencyRate < 0 || roundSecondsMax < 1 || minutesMax < 1) {
      throw new IllegalArgumentException("too short a time or too low a rate");
    }
    if (nodes.stream().anyMatch(count -> count < 1) || looks.contains(Look.SEQUENCE)) {
      throw new IllegalArgumentException("a cluster has a node; --look is count, touch or decode");
    }
    if (!List.of("write", "read", "latency").containsAll(only)) {
      throw new IllegalArgumentException("--only knows write, read and latency, not " + only);
    }
  }

  BatchSettings batches() {
    return new BatchSettings(lingerMs, 64L << 20, kafkaBatchBytes, tunnelBatchBytes);
  }

  Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("rows", rows);
    map.put("partitions", partitions);
    map.put("rounds", rounds);
    map.put("writers", writers);
    map.put("nodes", nodes);
    map.put("lingerMs", lingerMs);
    map.put("kafkaBatchBytes", kafkaBatchBytes);
    map.put("tunnelBatchBytes", tunnelBatchBytes);
    map.put("latencySeconds", latencySeconds);
    map.put("cores", Runtime.getRuntime().availableProcessors());
    map.put("java", System.getProperty("java.runtime.version"));
    return map;
  }
}
