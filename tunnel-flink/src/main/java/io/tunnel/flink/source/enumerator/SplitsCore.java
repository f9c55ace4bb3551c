package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.source.split.TunnelSplit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which splits wait, and which of them may be read: those whose parents were read to their ends, so
 * that the changes of a row keep their order when its partition is split or merged.
 *
 * <p>What must hold: a split is given out once, unless it came back; none is given out before its
 * known parents are finished.
 */
final class SplitsCore {

  private final Set<Integer> known = new TreeSet<>();
  private final Set<Integer> finished = new TreeSet<>();
  private final Map<Integer, WaitingSplit> waiting = new HashMap<>();

  SplitsCore(EnumeratorState state) {
    known.addAll(state.known());
    finished.addAll(state.finished());
    state.waiting().forEach(split -> waiting.put(split.split().partition(), split));
  }

  Set<Integer> known() {
    return known;
  }

  Set<Integer> finished() {
    return finished;
  }

  /** Sorted by partition. */
  List<WaitingSplit> waiting() {
    return waiting.values().stream()
        .sorted((a, b) -> Integer.compare(a.split().partition(), b.split().partition()))
        .toList();
  }

  boolean hasWaiting() {
    return !waiting.isEmpty();
  }

  /** New partitions; those that are known already are skipped. */
  void found(Collection<WaitingSplit> splits) {
    for (WaitingSplit split : splits) {
      if (known.add(split.split().partition())) {
        waiting.put(split.split().partition(), split);
      }
    }
  }

  /** Splits that were given out and are not read any more. */
  void returned(Collection<TunnelSplit> splits) {
    for (TunnelSplit split : splits) {
      if (!finished.contains(split.partition())) {
        waiting.put(split.partition(), new WaitingSplit(split, List.of()));
      }
    }
  }

  /** These were read to their ends. */
  void finished(Collection<Integer> partitions) {
    finished.addAll(partitions);
    partitions.forEach(waiting::remove);
  }

  /**
   * Takes what may be read now, by reader.
   *
   * @param readers those that are there; others' splits wait for them
   */
  Map<Integer, List<TunnelSplit>> take(int parallelism, Collection<Integer> readers) {
    Set<Integer> present = new HashSet<>(readers);
    Map<Integer, List<TunnelSplit>> taken = new HashMap<>();
    for (Iterator<WaitingSplit> each = waiting().iterator(); each.hasNext(); ) {
      WaitingSplit next = each.next();
      int reader = Math.floorMod(next.split().partition(), parallelism);
      if (present.contains(reader) && isReadable(next)) {
        waiting.remove(next.split().partition());
        taken.computeIfAbsent(reader, none -> new ArrayList<>()).add(next.split());
      }
    }
    return taken;
  }

  /** Parents that never were splits are older than the job, and read by nobody. */
  private boolean isReadable(WaitingSplit split) {
    return split.parents().stream()
        .allMatch(parent -> finished.contains(parent) || !known.contains(parent));
  }
}
