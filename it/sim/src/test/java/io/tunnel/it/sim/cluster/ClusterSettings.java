package io.tunnel.it.sim.cluster;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** What a world is like. */
record ClusterSettings(
    int nodes, int partitions, int standbys, long retentionMicros, boolean isCompacted) {

  /** Whether changes may be gone before somebody has processed them. */
  boolean forgets() {
    return retentionMicros < SimLog.FOREVER;
  }

  /** A third of all worlds keep changes for ever; of the others most compact their log. */
  static ClusterSettings of(SplittableRandom random) {
    int kind = random.nextInt(6);
    return new ClusterSettings(
        2 + random.nextInt(3),
        1 + random.nextInt(4),
        random.nextInt(3),
        kind < 2 ? SimLog.FOREVER : TimeUnit.SECONDS.toMicros(15 + random.nextInt(20)),
        kind > 2);
  }
}
