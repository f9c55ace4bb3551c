package io.tunnel.programs.bench.seeds;

import io.tunnel.model.Limits;
import io.tunnel.programs.bench.seeds.Workload.Audience;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.publish.PathData;
import io.tunnel.programs.bench.seeds.publish.PublishCase;
import io.tunnel.programs.bench.seeds.publish.PublishCase.Action;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads loads of publishers and subscribers. */
final class PublishLoads {

  static final String PUBLISHERS = "publishers";

  /** Each may have a connection and a session. */
  static final int PUBLISHERS_MAX = 1_000;

  /** Paths of a partition, fewer than a shard has bound rows at most, also where it has two. */
  static final int PARTITION_PATHS_MAX = 50_000;

  private static final int SUBSCRIBERS_MAX = 9;
  private static final int BYTES_MAX = 64 * 1024;
  private static final int PATHS_MAX = 1_000_000;

  private PublishLoads() {}

  /** A load, for some of the workload's operations. */
  static Load load(List<String> operations, JsonPlace place) {
    JsonPlace load =
        place.object(
            Set.of(
                PUBLISHERS,
                "subscribersOfPath",
                "pathsOfPublisher",
                "bytes",
                WorkloadFile.SERVERS,
                QueueLoads.OPERATIONS));
    int publishers = load.member(PUBLISHERS).whole(1, PUBLISHERS_MAX);
    return new Load(
        publishers,
        load.member("bytes").whole(PathData.HEADER_BYTES, BYTES_MAX),
        0,
        0,
        Optional.empty(),
        Optional.empty(),
        load.member(WorkloadFile.SERVERS).whole(1, WorkloadFile.SERVERS_MAX),
        Optional.of(
            new Audience(
                load.member("subscribersOfPath").whole(1, SUBSCRIBERS_MAX),
                load.member("pathsOfPublisher")
                    .whole(1, Math.min(Limits.WATCH_TERMS_MAX, PATHS_MAX / publishers)),
                QueueLoads.operations(operations, load))));
  }

  /** What is run. */
  static PublishCase publishCase(Workload workload, Load load, String operation) {
    Audience audience = load.audience().orElseThrow();
    return new PublishCase(
        Action.named(operation),
        load.clients(),
        audience.subscribersOfPath(),
        audience.pathsOfPublisher(),
        load.bytes(),
        workload.times().warmUp(),
        workload.times().measured());
  }

  /**
   * Connections that a server must take: it may not have seen yet that those of the operation
   * before are closed.
   */
  static int connectionsOfAddress(int connections) {
    return 2 * connections;
  }

  /** Partitions of a table, and shards of a server, so that all paths may be bound rows. */
  static int partitions(Load load) {
    return (int) ((load.rows() + PARTITION_PATHS_MAX - 1) / PARTITION_PATHS_MAX);
  }
}
