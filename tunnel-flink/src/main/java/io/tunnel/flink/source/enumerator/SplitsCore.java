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
 * Decides which waiting splits may be read: splits whose parents were read to their ends, so that
 * the changes of a row keep their order when its partition is split or merged.
 *
 * <p>Invariants: a split is assigned once, unless it came back; no split is assigned before its
 * known parents are finished. The end of a split is certain once a checkpoint that began after the
 * reader's report is complete: until then a failure may set the reader back before the end, and the
 * report is taken back.
 */
final class SplitsCore {

  private final Set<Integer> known = new TreeSet<>();
  private final Set<Integer> finished = new TreeSet<>();
  private final Map<Integer, WaitingSplit> waiting = new HashMap<>();

  /** The parents of assigned splits, for splits that come back. */
  private final Map<Integer, List<Integer>> parents = new HashMap<>();

  private final Map<Integer, Told> told = new HashMap<>();

  /**
   * A report that a split is finished.
   *
   * @param checkpoint the first checkpoint after the report, if any
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

  /** The waiting splits, sorted by partition. */
  List<WaitingSplit> waiting() {
    return waiting.values().stream()
        .sorted((a, b) -> Integer.compare(a.split().partition(), b.split().partition()))
        .toList();
  }

  boolean hasWaiting() {
    return !waiting.isEmpty();
  }

  /** Adds new partitions; skips known ones. */
  void found(Collection<WaitingSplit> splits) {
    for (WaitingSplit split : splits) {
      if (known.add(split.split().partition())) {
        waiting.put(split.split().partition(), split);
      }
    }
  }

  /** Takes back splits that a reader got after the last complete checkpoint. */
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

  /** Marks partitions as finished that had nothing to read. */
  void finished(Collection<Integer> partitions) {
    finished.addAll(partitions);
    partitions.forEach(waiting::remove);
  }

  /** Notes a reader's report of finished partitions. */
  void finished(int reader, Collection<Integer> partitions) {
    for (int partition : partitions) {
      if (!finished.contains(partition)) {
        told.put(partition, new Told(reader, Optional.empty()));
      }
    }
    finished(partitions);
  }

  /** Starts a checkpoint, which contains the reports until now. */
  void checkpoint(long checkpoint) {
    told.replaceAll(
        (partition, by) ->
            by.checkpoint().isPresent() ? by : new Told(by.reader(), Optional.of(checkpoint)));
  }

  /** Completes a checkpoint, which makes its reports certain. */
  void complete(long checkpoint) {
    told.values().removeIf(by -> by.checkpoint().orElse(Long.MAX_VALUE) <= checkpoint);
  }

  /**
   * Takes the readable splits, by reader.
   *
   * @param readers the registered readers; splits of missing readers wait
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

  /** Parents that never were splits are older than the job, and need no reading. */
  private boolean isReadable(WaitingSplit split) {
    return split.parents().stream()
        .allMatch(parent -> finished.contains(parent) || !known.contains(parent));
  }
}
