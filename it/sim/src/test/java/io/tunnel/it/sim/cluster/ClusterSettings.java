package io.tunnel.it.sim.cluster;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * What a world is like.
 *
 * @param retentionMicros how long the local logs of nodes keep changes
 */
record ClusterSettings(int nodes, int partitions, int standbys, long retentionMicros) {

  /** A third of all worlds keep changes for ever. */
  static ClusterSettings of(SplittableRandom random) {
    int kind = random.nextInt(6);
    return new ClusterSettings(
        2 + random.nextInt(3),
        1 + random.nextInt(4),
        random.nextInt(3),
        kind < 2 ? Long.MAX_VALUE : TimeUnit.SECONDS.toMicros(15 + random.nextInt(20)));
  }
}
