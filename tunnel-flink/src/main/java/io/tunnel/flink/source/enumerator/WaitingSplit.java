package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.source.split.TunnelSplit;
import java.util.List;
import java.util.Objects;

/**
 * A split that nobody reads yet.
 *
 * @param parents the partitions that have to be read first
 */
public record WaitingSplit(TunnelSplit split, List<Integer> parents) {

  /** Refuses null and copies the list. */
  public WaitingSplit {
    Objects.requireNonNull(split, "split");
    parents = List.copyOf(parents);
  }
}
