package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableFold;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The changes that are in the log and not in the table, by partition.
 *
 * <p>Changes of one partition are folded in the order of the log. Partitions are folded in any
 * order, so a read of one partition waits for no fold of another one. The table says up to which
 * offset it has all changes; some partitions may be ahead of that. After a crash everything after
 * the offset is folded once more, which leaves the rows of those partitions as they were.
 */
final class UnfoldedCore {

  private final long partBytesMax;

  /** Groups with changes that the table lacks, in the order of the log. */
  private final Deque<Waiting> groups = new ArrayDeque<>();

  /** The changes that are in no part yet, in the order of the log; no partition without any. */
  private final Map<Integer, Deque<Change>> changes = new HashMap<>();

  /** The parts that were begun and are not folded. */
  private final Map<Integer, Part> parts = new HashMap<>();

  /** The table has all changes before this offset of the log. */
  private long foldedEnd;

  /** No change after this offset was begun to be folded; {@code >= foldedEnd}. */
  private long aheadEnd;

  /** The sum of {@link Change#bytes} of all that is not folded. */
  private long bytes;

  /** What is stored alongside the rows, where it was raised and no part has it. */
  private BesideRows beside = BesideRows.NONE;

  /** A group of the log. */
  private static final class Waiting {
    private final long end;

    /** The partitions of which the table lacks changes of this group. */
    private final Set<Integer> left = new HashSet<>();

    Waiting(long end) {
      this.end = end;
    }
  }

  private record Change(ChangeBatch batch, Waiting group) {

    /** The objects of a batch, and of its request. */
    private static final int OBJECT_BYTES = 128;

    /**
     * The memory that a batch holds: the array of the complete request, however small the batch.
     */
    long bytes() {
      return (long) batch.array().length + OBJECT_BYTES;
    }
  }

  /** Changes of one partition that are folded together. */
  static final class Part {
    private final int partition;
    private final List<ChangeBatch> batches = new ArrayList<>();
    private final BesideRows beside;
    private final Set<Waiting> groups = new LinkedHashSet<>();
    private long firstEnd;
    private long lastEnd;
    private long bytes;

    private Part(int partition, BesideRows beside) {
      this.partition = partition;
      this.beside = beside;
    }

    int partition() {
      return partition;
    }

    List<ChangeBatch> batches() {
      return batches;
    }

    /**
     * What is stored alongside the rows, of this partition and of others. A bound that is stored
     * before the rows that raised it is higher than it must be, and right; a writer that is stored
     * before its rows is right, because the log on disk has the rows.
     */
    BesideRows beside() {
      return beside;
    }

    private void add(Change change) {
      if (batches.isEmpty()) {
        firstEnd = change.group.end;
      }
      batches.add(change.batch);
      groups.add(change.group);
      lastEnd = change.group.end;
      bytes += change.bytes();
    }
  }

  /** Nothing; a part that is begun takes changes of {@code partBytesMax} at most, one at least. */
  UnfoldedCore(long partBytesMax) {
    this.partBytesMax = partBytesMax;
  }

  /** Adds a group after all others. */
  void add(List<ChangeBatch> batches, long end, BesideRows raised) {
    beside = beside.then(raised);
    Waiting group = new Waiting(end);
    groups.add(group);
    for (ChangeBatch batch : batches) {
      Change change = new Change(batch, group);
      group.left.add(batch.partition());
      changes.computeIfAbsent(batch.partition(), id -> new ArrayDeque<>()).add(change);
      bytes += change.bytes();
    }
  }

  /** What is stored with the next part, unless a write of its own stores all of it before. */
  BesideRows raise(BesideRows raised) {
    beside = beside.then(raised);
    return beside;
  }

  /**
   * The table has all of the log before {@code end}; no group that waits is before.
   *
   * @param stored alongside the rows, with the same write. No later part stores the same again: a
   *     partition that is emptied next has no state then, and must not get one without rows
   */
  void passed(long end, BesideRows stored) {
    foldedEnd = Math.max(foldedEnd, end);
    aheadEnd = Math.max(aheadEnd, end);
    if (beside.equals(stored)) {
      beside = BesideRows.NONE;
    }
  }

  /** Bytes that are held of changes that are not folded. */
  long bytes() {
    return bytes;
  }

  /** Whether the table has all changes. */
  boolean isEmpty() {
    return groups.isEmpty();
  }

  /** Whether the table has all changes of a partition. */
  boolean isFolded(int partition) {
    return isFolded(partition, Long.MAX_VALUE);
  }

  /** Whether the table has all changes of a partition that are before an offset of the log. */
  boolean isFolded(int partition, long end) {
    Part part = parts.get(partition);
    if (part != null) {
      return part.firstEnd > end;
    }
    Deque<Change> waiting = changes.get(partition);
    return waiting == null || waiting.element().group.end > end;
  }

  /** The end of the last group that was added, 0 before the first. */
  long addedEnd() {
    return groups.isEmpty() ? foldedEnd : groups.getLast().end;
  }

  /** Begins the part with the oldest change, or continues it; something is not folded. */
  Part begin() {
    return begin(groups.element().left.iterator().next());
  }

  /** Begins a part of a partition, or continues it; something of it is not folded. */
  Part begin(int partition) {
    Part begun = parts.get(partition);
    if (begun != null) {
      return begun;
    }
    Part part = new Part(partition, beside);
    beside = BesideRows.NONE;
    Deque<Change> waiting = changes.get(partition);
    do {
      part.add(waiting.remove());
    } while (!waiting.isEmpty() && part.bytes + waiting.element().bytes() <= partBytesMax);
    if (waiting.isEmpty()) {
      changes.remove(partition);
    }
    parts.put(partition, part);
    aheadEnd = Math.max(aheadEnd, part.lastEnd);
    return part;
  }

  /** What the table stores with a write of a part. */
  TableFold.Offsets offsets(Part part) {
    long after = foldedEnd;
    for (Waiting group : groups) {
      boolean isWhole =
          group.left.size() == 1 && part.groups.contains(group) && isLastOf(group, part);
      if (!group.left.isEmpty() && !isWhole) {
        break;
      }
      after = group.end;
    }
    return new TableFold.Offsets(foldedEnd, after, Math.max(aheadEnd, after));
  }

  /** Whether the group has no change of the part's partition after those of the part. */
  private boolean isLastOf(Waiting group, Part part) {
    Deque<Change> waiting = changes.get(part.partition);
    return waiting == null || waiting.element().group != group;
  }

  /** The table has all of a part. */
  void folded(Part part) {
    for (Waiting group : part.groups) {
      if (isLastOf(group, part)) {
        group.left.remove(part.partition);
      }
    }
    while (!groups.isEmpty() && groups.element().left.isEmpty()) {
      foldedEnd = groups.remove().end;
    }
    parts.remove(part.partition);
    bytes -= part.bytes;
  }
}
