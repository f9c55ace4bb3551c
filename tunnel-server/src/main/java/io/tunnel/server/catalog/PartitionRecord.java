package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import java.util.List;

/**
 * A partition: a range of encoded first key columns {@code [from, to)}, {@link Bytes#EMPTY} being
 * an open end.
 *
 * @param id at least 1; never reused
 * @param parents the partitions from which this partition was split or merged
 */
public record PartitionRecord(int id, Bytes from, Bytes to, List<Integer> parents) {

  /** Copies the list. */
  public PartitionRecord {
    parents = List.copyOf(parents);
  }
}
