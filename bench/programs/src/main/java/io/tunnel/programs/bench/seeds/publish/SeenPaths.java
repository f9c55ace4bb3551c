package io.tunnel.programs.bench.seeds.publish;

import java.util.BitSet;

/**
 * The paths that one subscriber has heard of. A publisher creates its paths in rising order, each
 * once. For one thread at a time.
 */
final class SeenPaths {

  private final BitSet seen = new BitSet();
  private final int paths;
  private int last = -1;
  private int repeated;
  private int overtaken;
  private int unknown;

  /** Nothing yet of so many paths. */
  SeenPaths(int paths) {
    this.paths = paths;
  }

  /** Whether the path is one that had to come, and comes for the first time. */
  boolean came(int path) {
    if (path < 0 || path >= paths) {
      unknown++;
      return false;
    }
    if (seen.get(path)) {
      repeated++;
      return false;
    }
    if (path < last) {
      overtaken++;
    }
    seen.set(path);
    last = Math.max(last, path);
    return true;
  }

  /** Paths that have not come. */
  int missing() {
    return paths - seen.cardinality();
  }

  /** Paths that came again, behind a later one, or that nobody created. */
  int wrong() {
    return repeated + overtaken + unknown;
  }
}
