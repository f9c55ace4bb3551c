package io.tunnel.it.sim.cluster;

import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * What a world is like.
 *
 * @param retentionMicros how long the logs keep changes
 * @param snapshotLogBytes of a partition's log, after which a snapshot is due; empty when no
 *     snapshot is ever taken
 */
record ClusterSettings(
    int nodes,
    int partitions,
    int standbys,
    long retentionMicros,
    Optional<Integer> snapshotLogBytes) {

  /** A sixth of all worlds keep changes for ever, and a sixth have no snapshots. */
  static ClusterSettings of(SplittableRandom random) {
    int kind = random.nextInt(6);
    boolean hasSnapshots = random.nextInt(6) > 0;
    return new ClusterSettings(
        2 + random.nextInt(3),
        1 + random.nextInt(4),
        random.nextInt(3),
        kind == 0
            ? Long.MAX_VALUE
            : TimeUnit.MILLISECONDS.toMicros(500 + random.nextInt(kind < 3 ? 20_000 : 2_000)),
        hasSnapshots ? Optional.of(600 + random.nextInt(2_500)) : Optional.empty());
  }
}
