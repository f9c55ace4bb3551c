package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;
import java.util.Map;

/**
 * What is stored with rows, by the very write that folds them: a crash leaves both or neither.
 *
 * @param states of replicas, by partition
 * @param bounds what the rows of partitions do not exceed, by partition; in the place of partition
 *     0, which is never given out, what is said of the whole store
 */
public record BesideRows(Map<Integer, Bytes> states, Map<Integer, Bytes> bounds) {

  /** Nothing. */
  public static final BesideRows NONE = new BesideRows(Map.of(), Map.of());

  /** Keeps copies. */
  public BesideRows {
    states = Map.copyOf(states);
    bounds = Map.copyOf(bounds);
  }
}
