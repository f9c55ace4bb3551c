package io.tunnel.bench.peers;

import io.tunnel.bench.children.Secured;
import io.tunnel.programs.bench.beside.BesidePlan;
import io.tunnel.terminal.CommandFailure;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What can be chosen here beside what {@code tunnel bench peers} can be told too. */
final class SideBySideOptions {

  @Option(names = "--partitions", description = "Of tables and topics (default: 8).")
  int partitions = 8;

  @Option(names = "--writers", description = "Writing threads (default: 2).")
  int writers = 2;

  @Option(
      names = "--nodes",
      split = ",",
      paramLabel = "N",
      description =
          "Also measure clusters with these numbers of nodes, on the Kafka of the comparison.")
  List<Integer> nodes = List.of();

  @Option(
      names = "--security",
      paramLabel = "DIR",
      description = "Both speak TLS, with the certificate that 'tunnel security init' made there.")
  Path security;

  @Option(names = "--dir", description = "Where the temporary directory is made.")
  Path dir = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(names = "--round-seconds-max", description = "Longest round (default: 300).")
  int roundSecondsMax = 300;

  Secured secured() {
    return new Secured(Optional.ofNullable(security));
  }

  /** Refuses what cannot be measured. */
  void require() {
    if (partitions < 1 || writers < 1 || roundSecondsMax < 1) {
      throw CommandFailure.usage("--partitions, --writers and --round-seconds-max are 1 or more");
    }
    if ((security == null) == nodes.isEmpty()) {
      throw CommandFailure.usage(
          "name --nodes or --security; ./tunnel bench peers measures one server in the clear");
    }
    if (nodes.stream().anyMatch(count -> count < 1)) {
      throw CommandFailure.usage("a cluster has a node");
    }
  }

  Map<String, Object> asMap(BesidePlan plan) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("rows", plan.rows());
    map.put("partitions", partitions);
    map.put("rounds", plan.rounds());
    map.put("writers", writers);
    map.put("nodes", nodes);
    map.put("lingerMs", plan.batches().lingerMs());
    map.put("kafkaBatchBytes", plan.batches().kafkaBatchBytes());
    map.put("tunnelBatchBytes", plan.batches().tunnelBatchBytes());
    map.put("latencySeconds", plan.latency().seconds());
    map.put("cores", Runtime.getRuntime().availableProcessors());
    map.put("java", System.getProperty("java.runtime.version"));
    return map;
  }
}
