package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.source.split.TunnelSplit;
import java.util.List;
import java.util.Objects;

/**
 * A split without a reader.
 *
 * @param parents the partitions to read first
 */
public record WaitingSplit(TunnelSplit split, List<Integer> parents) {

  /** Refuses null and copies the list. */
  public WaitingSplit {
    Objects.requireNonNull(split, "split");
    parents = List.copyOf(parents);
  }
}
