package io.tunnel.flink.source.enumerator;

import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * A reader has read all of these partitions.
 *
 * @param partitions their ids
 */
public record FinishedSplits(Set<Integer> partitions) implements SourceEvent {

  private static final long serialVersionUID = 1L;

  /** Copies the set. */
  public FinishedSplits {
    partitions = Set.copyOf(partitions);
  }
}
