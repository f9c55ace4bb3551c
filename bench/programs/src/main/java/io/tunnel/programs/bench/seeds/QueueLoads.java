package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.Workload.Parties;
import io.tunnel.programs.bench.seeds.queue.MessageCase;
import io.tunnel.programs.bench.seeds.queue.MessageCase.Way;
import io.tunnel.programs.bench.seeds.queue.MessageHeader;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads loads of queues and topics. */
final class QueueLoads {

  static final String SENDERS = "senders";

  /** Five messages of a transaction fit into one atomic batch of this service. */
  static final int BYTES_MAX = 200_000;

  /** Each is a thread. */
  static final int PARTIES_MAX = 1_000;

  /** The most bytes of five messages of all senders, for which the process of the load has room. */
  private static final long OPEN_BYTES_MAX = 256 << 20;

  private static final String RECEIVERS = "receivers";
  private static final String QUEUES = "queues";
  private static final String TOPICS = "topics";
  static final String OPERATIONS = "operations";

  private static final Set<String> MEMBERS =
      Set.of(SENDERS, RECEIVERS, "connections", QUEUES, TOPICS, "bytes", OPERATIONS);

  private QueueLoads() {}

  /** A load, for some of the workload's operations: those of queues, or those of topics. */
  static Load load(List<String> operations, JsonPlace place) {
    JsonPlace load = place.object(MEMBERS);
    int senders = load.member(SENDERS).whole(1, PARTIES_MAX);
    int receivers = load.member(RECEIVERS).whole(1, PARTIES_MAX);
    boolean isTopic = load.find(TOPICS).isPresent();
    if (isTopic == load.find(QUEUES).isPresent()) {
      throw place.wrong("has either 'queues' or 'topics'");
    }
    int connections = load.member("connections").whole(1, Math.max(senders, receivers));
    int destinations =
        load.member(isTopic ? TOPICS : QUEUES).whole(1, Math.min(senders, receivers));
    int bytes = load.member("bytes").whole(MessageHeader.BYTES, BYTES_MAX);
    long openBytes = (long) senders * bytes * MessageCase.TRANSACTION_MESSAGES;
    if (openBytes > OPEN_BYTES_MAX) {
      throw place.wrong(
          "has %,d senders of %,d bytes: five messages of each are %,d bytes, and %,d are the most"
              .formatted(senders, bytes, openBytes, OPEN_BYTES_MAX));
    }
    return new Load(
        senders,
        bytes,
        0,
        0,
        Optional.empty(),
        Optional.of(
            new Parties(
                receivers,
                connections,
                destinations,
                isTopic,
                operations(operations, load, isTopic))));
  }

  private static List<String> operations(List<String> all, JsonPlace load, boolean isTopic) {
    List<String> fitting =
        all.stream().filter(each -> Way.named(each).isTopic() == isTopic).toList();
    if (fitting.isEmpty()) {
      throw load.wrong("has none of the workload's operations " + all);
    }
    return operations(fitting, load);
  }

  /** Those of {@code fitting} that a load names, or all of them. */
  static List<String> operations(List<String> fitting, JsonPlace load) {
    return load.find(OPERATIONS)
        .map(some -> some.distinct(1, fitting.size(), each -> each.oneOf(Set.copyOf(fitting))))
        .orElse(fitting);
  }

  /** What is run. */
  static MessageCase messageCase(Workload workload, Load load, String operation) {
    Parties parties = load.parties().orElseThrow();
    return new MessageCase(
        Way.named(operation),
        load.clients(),
        parties.receivers(),
        parties.connections(),
        parties.destinations(),
        load.bytes(),
        workload.times().warmUp(),
        workload.times().measured());
  }
}
