package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.source.split.TunnelSplit;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a checkpoint keeps of an enumerator.
 *
 * @param tableId the table whose partitions are read; none before they were found
 * @param known all partitions that became splits
 * @param finished those of them that were read to their ends
 * @param whole those of which the job sees all that their rows ever were; see {@link
 *     TunnelSplit#isWhole}
 * @param waiting those that nobody reads
 */
public record EnumeratorState(
    Optional<Integer> tableId,
    Set<Integer> known,
    Set<Integer> finished,
    Set<Integer> whole,
    List<WaitingSplit> waiting) {

  /** Nothing was found yet. */
  public static final EnumeratorState EMPTY =
      new EnumeratorState(Optional.empty(), Set.of(), Set.of(), Set.of(), List.of());

  /** Copies all. */
  public EnumeratorState {
    known = Set.copyOf(known);
    finished = Set.copyOf(finished);
    whole = Set.copyOf(whole);
    waiting = List.copyOf(waiting);
  }
}
