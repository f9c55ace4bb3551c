package io.tunnel.flink.source.enumerator;

import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * A reader has read partitions to their ends.
 *
 * @param partitions the ids of the partitions
 */
public record FinishedSplits(Set<Integer> partitions) implements SourceEvent {

  private static final long serialVersionUID = 1L;

  /** Copies the set. */
  public FinishedSplits {
    partitions = Set.copyOf(partitions);
  }
}
