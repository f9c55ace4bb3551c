package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.source.split.TunnelSplit;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The state of an enumerator in a checkpoint.
 *
 * @param tableId the id of the table; absent before its partitions were found
 * @param known the partitions that became splits
 * @param finished the known partitions that were read to their ends
 * @param whole the known partitions whose rows' whole history the job sees; see {@link
 *     TunnelSplit#isWhole}
 * @param waiting the splits without a reader
 */
public record EnumeratorState(
    Optional<Integer> tableId,
    Set<Integer> known,
    Set<Integer> finished,
    Set<Integer> whole,
    List<WaitingSplit> waiting) {

  /** The state before the partitions were found. */
  public static final EnumeratorState EMPTY =
      new EnumeratorState(Optional.empty(), Set.of(), Set.of(), Set.of(), List.of());

  /** Copies the collections. */
  public EnumeratorState {
    known = Set.copyOf(known);
    finished = Set.copyOf(finished);
    whole = Set.copyOf(whole);
    waiting = List.copyOf(waiting);
  }
}
