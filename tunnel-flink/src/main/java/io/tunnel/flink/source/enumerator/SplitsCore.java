package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.source.split.TunnelSplit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which splits wait, and which of them may be read: those whose parents were read to their ends, so
 * that the changes of a row keep their order when its partition is split or merged.
 *
 * <p>What must hold: a split is given out once, unless it came back; none is given out before its
 * known parents are finished. That a split is finished is certain when a checkpoint is complete
 * that began after it was told: until then its reader may be set back to where it was not, and what
 * it told is taken back.
 */
final class SplitsCore {

  private final Set<Integer> known = new TreeSet<>();
  private final Set<Integer> finished = new TreeSet<>();
  private final Map<Integer, WaitingSplit> waiting = new HashMap<>();

  /** Of splits that were given out, for when they come back. */
  private final Map<Integer, List<Integer>> parents = new HashMap<>();

  private final Map<Integer, Told> told = new HashMap<>();

  /**
   * Who told that a split is finished.
   *
   * @param checkpoint the first that began since then, if one has
   */
  private record Told(int reader, Optional<Long> checkpoint) {}

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

  /** A reader is set back to the last complete checkpoint, after which it was given these. */
  void returned(int reader, Collection<TunnelSplit> splits) {
    List<Integer> unsaid =
        told.entrySet().stream()
            .filter(each -> each.getValue().reader() == reader)
            .map(Map.Entry::getKey)
            .toList();
    unsaid.forEach(told::remove);
    unsaid.forEach(finished::remove);
    for (TunnelSplit split : splits) {
      if (!finished.contains(split.partition())) {
        List<Integer> before = parents.getOrDefault(split.partition(), List.of());
        waiting.put(split.partition(), new WaitingSplit(split, before));
      }
    }
  }

  /** Nothing was left to be read of these when they were found. */
  void finished(Collection<Integer> partitions) {
    finished.addAll(partitions);
    partitions.forEach(waiting::remove);
  }

  /** A reader has read these to their ends. */
  void finished(int reader, Collection<Integer> partitions) {
    for (int partition : partitions) {
      if (!finished.contains(partition)) {
        told.put(partition, new Told(reader, Optional.empty()));
      }
    }
    finished(partitions);
  }

  /** A checkpoint begins: readers have in it what they have told. */
  void checkpoint(long checkpoint) {
    told.replaceAll(
        (partition, by) ->
            by.checkpoint().isPresent() ? by : new Told(by.reader(), Optional.of(checkpoint)));
  }

  /** A checkpoint is complete. */
  void complete(long checkpoint) {
    told.values().removeIf(by -> by.checkpoint().orElse(Long.MAX_VALUE) <= checkpoint);
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
        parents.put(next.split().partition(), next.parents());
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
