package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;
import java.util.HashMap;
import java.util.Map;

/**
 * What is stored with rows, by the very write that folds them: a crash leaves both or neither.
 *
 * @param states of replicas, by partition; a single server has none
 * @param bounds what the rows of partitions do not exceed, by partition; in the place of partition
 *     0, which is never given out, what is said of the whole store
 * @param writers the writers that number their batches: by {@code u32} partition and writer, or
 *     partition alone, what is known of the writer; no bytes to remove that
 * @param sessions the sessions of bound rows: by {@code u32} partition and key, the session; no
 *     bytes for a row that is bound no more
 */
public record BesideRows(
    Map<Integer, Bytes> states,
    Map<Integer, Bytes> bounds,
    Map<Bytes, Bytes> writers,
    Map<Bytes, Bytes> sessions) {

  /** Nothing. */
  public static final BesideRows NONE = new BesideRows(Map.of(), Map.of(), Map.of());

  /** Keeps copies. */
  public BesideRows {
    states = Map.copyOf(states);
    bounds = Map.copyOf(bounds);
    writers = Map.copyOf(writers);
    sessions = Map.copyOf(sessions);
  }

  /** Without sessions. */
  public BesideRows(
      Map<Integer, Bytes> states, Map<Integer, Bytes> bounds, Map<Bytes, Bytes> writers) {
    this(states, bounds, writers, Map.of());
  }

  /** Of replicas and rows alone. */
  public BesideRows(Map<Integer, Bytes> states, Map<Integer, Bytes> bounds) {
    this(states, bounds, Map.of());
  }

  /** These values, with the later values laid over them. */
  public BesideRows then(BesideRows later) {
    return new BesideRows(
        with(states, later.states),
        with(bounds, later.bounds),
        with(writers, later.writers),
        with(sessions, later.sessions));
  }

  private static <K> Map<K, Bytes> with(Map<K, Bytes> earlier, Map<K, Bytes> later) {
    if (earlier.isEmpty() || later.isEmpty()) {
      return earlier.isEmpty() ? later : earlier;
    }
    Map<K, Bytes> both = new HashMap<>(earlier);
    both.putAll(later);
    return both;
  }
}
