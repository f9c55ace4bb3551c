package io.tunnel.server.partition;

import io.tunnel.server.partition.ExpirySweep.Swept;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Whose rows are looked at next. Tables take turns, and inside a table its partitions do, whatever
 * each of them has to delete. The order outlives a tick, so none begins the next tick again while
 * others have not had their turn.
 */
final class SweepTurnsCore {

  /** By table and by partition, when it last had a turn; absent before the first. */
  private final Map<Integer, Long> turnByTable = new HashMap<>();

  private final Map<Integer, Long> turnByPartition = new HashMap<>();

  /** The partitions that are left in this tick. */
  private final Set<Swept> left = new LinkedHashSet<>();

  private long turns;

  private final Comparator<Swept> order =
      Comparator.<Swept>comparingLong(one -> turnByTable.getOrDefault(one.table(), 0L))
          .thenComparingLong(one -> turnByPartition.getOrDefault(one.partition(), 0L));

  /** A tick begins with these partitions. */
  void begin(Collection<Swept> partitions) {
    left.clear();
    left.addAll(partitions);
    turnByTable.keySet().retainAll(partitions.stream().map(Swept::table).toList());
    turnByPartition.keySet().retainAll(partitions.stream().map(Swept::partition).toList());
  }

  /** The partition whose turn it is; the others wait until it comes again. */
  Optional<Swept> next() {
    Optional<Swept> next = left.stream().min(order);
    next.ifPresent(
        one -> {
          turns++;
          turnByTable.put(one.table(), turns);
          turnByPartition.put(one.partition(), turns);
        });
    return next;
  }

  /** The partition has nothing left in this tick. */
  void done(Swept swept) {
    left.remove(swept);
  }

  /** The tick ends. */
  void end() {
    left.clear();
  }

  /** The partitions that are left in this tick. */
  Collection<Swept> left() {
    return Set.copyOf(left);
  }
}
