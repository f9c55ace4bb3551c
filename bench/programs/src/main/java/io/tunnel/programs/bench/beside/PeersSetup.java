package io.tunnel.programs.bench.beside;

import io.tunnel.model.Durability;
import io.tunnel.programs.bench.kafka.KafkaPeer;
import io.tunnel.programs.bench.kafka.KafkaTablePeer;
import io.tunnel.programs.bench.peer.Look;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What {@code bench peers} ran with.
 *
 * @param plan what was measured
 * @param partitions of the tables, one run each
 * @param durabilities of our tables that were written
 * @param writers threads that wrote
 * @param kafka HOST:PORT of a broker that was there before; empty for one of the command's own
 * @param version of the programs
 */
public record PeersSetup(
    BesidePlan plan,
    List<Integer> partitions,
    Set<Durability> durabilities,
    int writers,
    Optional<String> kafka,
    String version) {

  /** What Kafka's producer waits for: the one broker has the record, in its page cache. */
  public static final String ACKS = "1";

  /** Takes copies. */
  public PeersSetup {
    partitions = List.copyOf(partitions);
    durabilities = Set.copyOf(durabilities);
  }

  /**
   * Who is measured.
   *
   * @param peer its name in the rounds
   * @param member its name in JSON
   */
  public record Side(String peer, String member) {

    /** The other one. */
    public static final Side KAFKA = new Side(KafkaPeer.NAME, "kafka");

    /** Kafka with a Kafka Streams program that keeps the topic as a table. */
    public static final Side KAFKA_TABLE = new Side(KafkaTablePeer.NAME, "kafka");

    /** Ours. */
    public static Side of(Durability durability) {
      return switch (durability) {
        case OS -> new Side("tunnel OS", "tunnel");
        case FSYNC -> new Side("tunnel FSYNC", "tunnelFsync");
      };
    }
  }

  /** Who was written to: ours, in the order of what they cost. */
  List<Side> written() {
    List<Side> sides = new ArrayList<>();
    for (Durability durability : List.of(Durability.OS, Durability.FSYNC)) {
      if (durabilities.contains(durability)) {
        sides.add(Side.of(durability));
      }
    }
    return List.copyOf(sides);
  }

  /** By the names of JSON members. */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("version", version);
    settings.put("rows", String.valueOf(plan.rows()));
    settings.put("rounds", String.valueOf(plan.rounds()));
    settings.put(
        "partitions", partitions.stream().map(String::valueOf).collect(Collectors.joining(",")));
    settings.put("writers", String.valueOf(writers));
    settings.put("only", names(plan.parts().stream().sorted().toList()));
    settings.put("look", names(plan.looks()));
    settings.put("durability", names(durabilities.stream().sorted().toList()));
    settings.put("latencySeconds", String.valueOf(plan.latency().seconds()));
    settings.put("idleRows", String.valueOf(plan.latency().idleRows()));
    settings.put("lingerMs", String.valueOf(plan.batches().lingerMs()));
    settings.put("tunnelBatchBytes", String.valueOf(plan.batches().tunnelBatchBytes()));
    settings.put("kafka", kafka.orElse("own broker"));
    settings.put("kafkaAcks", ACKS);
    settings.put("kafkaBatchBytes", String.valueOf(plan.batches().kafkaBatchBytes()));
    settings.put("kafkaBufferBytes", String.valueOf(plan.batches().bufferBytes()));
    settings.put("kafkaReplication", "1");
    return settings;
  }

  /** What people have to know to read the numbers. */
  List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    remarks.add(
        "A ratio is ours over Kafka's, of medians. Kafka keeps records; ours also folds each row"
            + " into a table.");
    remarks.add(
        "Kafka: replication 1, acks="
            + ACKS
            + ", no compression, linger "
            + plan.batches().lingerMs()
            + " ms, batches of "
            + plan.batches().kafkaBatchBytes()
            + " bytes, a buffer of "
            + (plan.batches().bufferBytes() >> 20)
            + " MiB; one consumer with all partitions assigned, which commits nothing. Ours: linger "
            + plan.batches().lingerMs()
            + " ms, batches of "
            + plan.batches().tunnelBatchBytes()
            + " bytes; one worker with its session and checkpoints. Only tunnel FSYNC syncs"
            + " before it acknowledges.");
    if (plan.parts().contains(Part.TABLE)) {
      remarks.add(
          "Into a table: until the last row is acknowledged and can be looked up. Kafka's table is"
              + " kept by Kafka Streams in RocksDB, in a process of its own that follows the topic"
              + " already: a thread for each core, topology.optimization=all, all else by default."
              + " Its CPU time is the sum of the broker and this process.");
    }
    if (plan.parts().contains(Part.READ)) {
      remarks.add(
          "Steady is what came after the first tenth of the rows, start-up is until the first row."
              + " The raw ceiling is a loopback socket from the page cache to a thread that checks a"
              + " checksum of each 256 KiB and hashes each key.");
    }
    if (kafka.isPresent()) {
      remarks.add(
          "The CPU time of the broker at "
              + kafka.get()
              + " is not known here, and other work of it is not waited for.");
    }
    return List.copyOf(remarks);
  }

  private static String names(List<? extends Enum<?>> values) {
    return values.stream()
        .map(value -> value.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(","));
  }

  /** How readers looked at rows. */
  List<Look> looks() {
    return plan.parts().contains(Part.READ) ? plan.looks() : List.of();
  }
}
