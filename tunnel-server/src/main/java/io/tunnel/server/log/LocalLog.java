package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.disk.Disk;
import io.tunnel.server.disk.DiskFullException;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/**
 * The log of a shard on its own disk. {@link #append} is for the shard's owner thread alone;
 * everything of {@link ChangeReader} is for any thread.
 *
 * <p>Invariant: a batch enters the index, and {@code committed} moves, only after its group is
 * written and, where the group asks for it, synced. A reader therefore never sees a change that a
 * crash could roll back below the promised durability.
 *
 * <p>A failed write or sync leaves it unknown what the disk holds, so the log then refuses every
 * further append; what is committed stays readable. {@link SyncedEnd} says how syncs are ordered. A
 * full disk is no such failure: the file is cut back to its last group, and the next append tries
 * again.
 */
public final class LocalLog implements ChangeReader, Closeable {

  private final Disk disk;
  private final LogIdentity identity;
  private final int segmentBytesMax;
  private final NavigableMap<Long, Segment> segments;
  private final Map<Integer, PartitionLog> partitions;
  private final GroupBuffer buffer = new GroupBuffer();
  private final SyncedEnd synced;
  private final Trimmer trimmer;
  private volatile Segment active;

  /** No change was ever committed later, in whatever partition. */
  private volatile long newestMicros;

  /** Was decided upon as a time that has passed: no later change is committed before it. */
  private long passedMicros;

  /** Of the sealed segments; later bytes may be lost with the power. */
  private long sealedMicros;

  /** The active segment takes no more, its index is stored, and the next one has to begin there. */
  private boolean isActiveEnded;

  private LocalLog(
      Disk disk, LogIdentity identity, int segmentBytesMax, LogRecovery.Recovered recovered) {
    this.disk = disk;
    this.identity = identity;
    this.segmentBytesMax = segmentBytesMax;
    this.segments = recovered.segments();
    this.active = segments.lastEntry().getValue();
    this.synced = new SyncedEnd(identity.shard(), active.end());
    this.newestMicros = recovered.newestMicros();
    this.sealedMicros = newestMicros;
    this.partitions = recovered.partitions();
    this.trimmer = new Trimmer(disk, segments, partitions, recovered.trimmed());
  }

  /**
   * Opens the log of {@code shard} and repairs what a crash left: a group that was being written is
   * cut off.
   *
   * @param segmentBytesMax bytes after which a new segment file is begun
   * @throws IOException when the disk fails, or when durable bytes have changed; nothing was
   *     touched then
   */
  public static LocalLog open(Disk disk, int shard, int segmentBytesMax) throws IOException {
    return open(disk, new LogIdentity(shard, 0), segmentBytesMax);
  }

  /** As {@link #open(Disk, int, int)}; segments of another origin are refused. */
  public static LocalLog open(Disk disk, LogIdentity identity, int segmentBytesMax)
      throws IOException {
    return new LocalLog(disk, identity, segmentBytesMax, new LogRecovery(disk, identity).recover());
  }

  private PartitionLog partitionLog(int partition) {
    return partitions.computeIfAbsent(partition, PartitionLog::new);
  }

  /** The clock has shown {@code micros}; it may be set back. For the thread that appends. */
  public void passed(long micros) {
    passedMicros = Math.max(passedMicros, micros);
  }

  /**
   * Commits a group: writes it, syncs it when {@code sync} says so, and tells the listeners.
   *
   * @param nowMicros the clock; the commit times of a partition never go back even when it does
   * @return the first position of each added batch, by its number in the group
   * @throws DiskFullException when the disk has no space; nothing was written
   * @throws IOException when the disk failed; whether the group was written is unknown, and the log
   *     accepts no more
   */
  public long[] append(GroupCore group, boolean sync, long nowMicros) throws IOException {
    synced.requireWhole();
    long[] firstPositions = new long[group.batchCount()];
    try {
      rollWhenDue();
      long leastMicros = Math.max(passedMicros, nowMicros);
      long groupOffset = active.size();
      buffer.begin(group.byteCount());
      group.encode(
          buffer::write,
          synced.offset(),
          partition -> Math.max(partitionLog(partition).lastMicros, leastMicros),
          new NextPositions(),
          firstPositions);
      writeBuffer();
      if (sync) {
        sync();
      }
      // A sync of a different thread may have failed since.
      synced.requireWhole();
      commit(group, groupOffset);
    } catch (DiskFullException e) {
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      synced.fail();
      throw e;
    }
    return firstPositions;
  }

  /** Writes all of the group or none of it: a part of a group would look like a torn end. */
  private void writeBuffer() throws IOException {
    try {
      active.append(buffer.written());
    } catch (DiskFullException e) {
      active.cut();
      throw e;
    }
  }

  /** Positions are handed out for one group; if it is not committed they are never seen. */
  private final class NextPositions implements GroupCore.PositionCounter {
    private final Map<Integer, Long> next = new ConcurrentHashMap<>();

    @Override
    public long take(int partition, int count) {
      long first = next.getOrDefault(partition, partitionLog(partition).committed + 1);
      next.put(partition, first + count);
      return first;
    }
  }

  private void commit(GroupCore group, long groupOffset) {
    for (GroupCore.Merged batch : group.batches()) {
      PartitionLog log = partitionLog(batch.partition());
      long last = batch.firstPosition() + batch.rowCount() - 1;
      int fileOffset = Math.toIntExact(groupOffset + batch.offsetInGroup());
      active.add(batch.partition(), batch.firstPosition(), last, fileOffset, batch.bytes());
      log.committed(active, batch.firstPosition(), last);
      log.lastMicros = batch.commitMicros();
      active.addTime(batch.commitMicros());
      newestMicros = Math.max(newestMicros, batch.commitMicros());
    }
    for (GroupCore.Merged batch : group.batches()) {
      partitionLog(batch.partition()).tellListeners();
    }
  }

  /**
   * Takes batches that have their positions and commit times already, as one group: another log
   * gave them. They are not merged, and not synced. Positions rise in each partition and may have
   * gaps; commit times may be any. A batch without rows is for a replay only.
   *
   * @throws IllegalArgumentException when a position is not after all others of its partition
   */
  public void adopt(List<ChangeBatch> batches) throws IOException {
    synced.requireWhole();
    if (batches.isEmpty()) {
      return;
    }
    AdoptedGroup group = new AdoptedGroup(batches);
    group.requireRising(partition -> partitionLog(partition).committed);
    try {
      rollWhenDue();
      long groupOffset = active.size();
      buffer.begin(group.byteCount());
      group.encode(buffer::write, synced.offset(), newestMicros);
      writeBuffer();
      newestMicros = Math.max(newestMicros, group.newestMicros());
      for (int i = 0; i < batches.size(); i++) {
        ChangeBatch batch = batches.get(i);
        if (batch.rowCount() == 0) {
          continue;
        }
        active.add(batch, Math.toIntExact(groupOffset + group.offset(i)));
        PartitionLog log = partitionLog(batch.partition());
        log.committed(active, batch.basePosition(), batch.lastPosition());
        log.lastMicros = Math.max(log.lastMicros, batch.commitMicros());
      }
    } catch (DiskFullException e) {
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      synced.fail();
      throw e;
    }
    group.partitions().forEach(partition -> partitionLog(partition).tellListeners());
  }

  /**
   * Makes everything appended durable. May be called by any thread.
   *
   * @throws IOException when the disk failed, now or before: an operating system reports a failed
   *     sync once and forgets what it could not write, so a later sync that succeeds proves nothing
   */
  public void sync() throws IOException {
    synced.sync(() -> active);
  }

  /** Whether it accepts no more. */
  public boolean hasFailed() {
    return synced.hasFailed();
  }

  private void rollWhenDue() throws IOException {
    if (isActiveEnded || active.size() >= segmentBytesMax) {
      roll();
    }
  }

  /** When the disk has no space, it stops where it is, and resumes from there the next time. */
  private void roll() throws IOException {
    if (!isActiveEnded) {
      sync();
      active.storeIndex(disk);
      isActiveEnded = true;
    }
    long base = active.end();
    Segment next = begin(base);
    sealedMicros = newestMicros;
    segments.put(base, next);
    active = next;
    isActiveEnded = false;
  }

  /**
   * The file of the next segment, which is there already when the disk had no space for its header.
   */
  private Segment begin(long base) throws IOException {
    Segment next = new Segment(base, disk.open(LogFormat.segmentName(base)), 0);
    try {
      next.append(identity.segmentHeader(base));
      next.sync();
      disk.syncNames();
      return next;
    } catch (IOException e) {
      next.close();
      throw e;
    }
  }

  /**
   * Begins a new segment, unless the present one is empty, so that what is in it can be trimmed.
   * For the owner thread alone.
   *
   * @throws DiskFullException when the disk has no space; nothing is lost, and the log continues
   * @throws IOException when the disk failed; the log accepts no more
   */
  public void seal() throws IOException {
    synced.requireWhole();
    if (active.isEmpty()) {
      return;
    }
    try {
      roll();
    } catch (DiskFullException e) {
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      synced.fail();
      throw e;
    }
  }

  /**
   * Forgets all changes of a partition. The next change that is adopted has the position {@code
   * next}, which a forgotten change may have had: no forgotten change is read again, also not after
   * a crash. May be repeated. For the owner thread alone.
   *
   * @throws DiskFullException when the disk has no space; the changes are still there
   */
  public void forget(int partition, long next) throws IOException {
    synced.requireWhole();
    if (next == 1 && committed(partition) == 0 && keptFrom(partition) == 1) {
      return;
    }
    if (active.index(partition) != null) {
      seal();
    }
    trimmer.forget(partition, next - 1, active.base());
    partitionLog(partition).beginBehind(next - 1);
  }

  /** Whether every change that was ever appended or adopted is there. */
  public boolean isWhole() {
    return trimmer.isWhole();
  }

  /**
   * The result of a {@link #trim}.
   *
   * @param changes number of changes that readers no longer see
   * @param segments number of deleted segment files, with {@code bytes} in total
   * @param isHeldByTable whether more files could go if the table had more of the log on disk
   */
  public record Freed(long changes, long segments, long bytes, boolean isHeldByTable) {}

  /**
   * Trims old changes for ever and deletes the files that no partition needs. For the owner thread
   * alone. A failure leaves the log as usable as it was; changes that were not trimmed can be tried
   * again.
   *
   * @param lastBases by partition, the base of the last segment whose changes of it may go, with
   *     those in all segments before; the segment that is written keeps its changes in any case
   * @param isLive whether a partition exists; the changes of others go
   * @param foldedOffset offset up to which the table has everything durably
   */
  public Freed trim(Map<Integer, Long> lastBases, IntPredicate isLive, long foldedOffset)
      throws IOException {
    synced.requireWhole();
    return trimmer.trim(lastBases, isLive, foldedOffset, sealedMicros);
  }

  /** The changes of {@code ids} that are kept, by segment, oldest first. */
  public List<Kept> kept(Collection<Integer> ids) throws IOException {
    return new KeptChanges(segments, partitions).of(ids, active);
  }

  /** No change was ever committed later, in microseconds since 1970. */
  public long newestMicros() {
    return newestMicros;
  }

  /** Whether damaged changes were trimmed: rows cannot be made again from the log alone. */
  public boolean hasLost() {
    return trimmer.hasLost();
  }

  /** Offset from which on every byte is kept; of those before, some files were deleted. */
  long wholeFrom() {
    return trimmer.wholeFrom();
  }

  /** Offset after the last byte. */
  public long end() {
    return active.end();
  }

  /** Offset up to which everything is synced. */
  public long syncedOffset() {
    return synced.offset();
  }

  /** Bytes that its disk can still take. */
  public long usableBytes() {
    return disk.usableBytes();
  }

  /** Files of the log. */
  public int segmentCount() {
    return segments.size();
  }

  /** Bytes of all files of the log. */
  public long byteCount() {
    return segments.values().stream().mapToLong(Segment::size).sum();
  }

  /**
   * Visits all batches of the groups that start at or after log offset {@code from}, in order.
   *
   * @throws CorruptLogException when the log does not have all bytes from there on
   */
  public void replay(long from, ReplayVisitor visitor) throws IOException {
    new Replay(identity.shard(), segments, wholeFrom(), end()).from(from, visitor);
  }

  /** The partitions that it has, or had, changes of. */
  public Set<Integer> partitionIds() {
    return Set.copyOf(partitions.keySet());
  }

  @Override
  public long committed(int partition) {
    PartitionLog log = partitions.get(partition);
    return log == null ? 0 : log.committed;
  }

  @Override
  public long firstPosition(int partition) {
    PartitionLog log = partitions.get(partition);
    return log == null ? 1 : log.firstPosition();
  }

  /** Tells the listeners of a partition to look again, although nothing was committed. */
  public void wake(int partition) {
    partitionLog(partition).tellListeners();
  }

  /** Position from which on every change that was appended or adopted is kept. */
  public long keptFrom(int partition) {
    PartitionLog log = partitions.get(partition);
    return log == null ? 1 : log.givenUp + 1;
  }

  @Override
  public SegmentExtents plan(int partition, long position, int bytesMax) {
    PartitionLog log = partitions.get(partition);
    return log == null ? new SegmentExtents(partition) : log.plan(position, bytesMax);
  }

  @Override
  public long bytesAfter(int partition, long position) {
    PartitionLog log = partitions.get(partition);
    return log == null ? 0 : log.bytesAfter(position);
  }

  @Override
  public long commitMicrosAfter(int partition, long position) throws IOException {
    while (true) {
      long first = firstPosition(partition);
      try {
        long behind = partitionLog(partition).behindLost(Math.max(position + 1, first));
        SegmentExtents next = plan(partition, behind, 1);
        return next.isEmpty() ? 0 : next.commitMicros();
      } catch (RefusedException e) {
        requireMoved(partition, first, e);
      } catch (SegmentDroppedException e) {
        requireMoved(partition, first, e);
      }
    }
  }

  @Override
  public long positionBefore(int partition, long epochMicros) throws IOException {
    PartitionLog log = partitions.get(partition);
    while (log != null) {
      long first = log.firstPosition();
      try {
        return log.positionBefore(epochMicros);
      } catch (SegmentDroppedException e) {
        requireMoved(partition, first, e);
      }
    }
    return 0;
  }

  /** That of all partitions together. */
  @Override
  public Optional<Long> givenUpMicros(int partition) {
    return Optional.of(trimmer.newestMicros());
  }

  /** A look at the oldest changes that failed because they went meanwhile is made again. */
  private <E extends Exception> void requireMoved(int partition, long first, E failure) throws E {
    if (firstPosition(partition) == first) {
      throw failure;
    }
  }

  @Override
  public void subscribe(int partition, ChangeReader.CommitListener listener) {
    partitionLog(partition).listeners.add(listener);
  }

  @Override
  public void unsubscribe(int partition, ChangeReader.CommitListener listener) {
    partitionLog(partition).listeners.remove(listener);
  }

  /** Syncs, stores the index so that the next start need not scan, and closes the files. */
  @Override
  public void close() throws IOException {
    try {
      if (!synced.hasFailed()) {
        sync();
        active.storeIndex(disk);
      }
    } finally {
      for (Segment segment : segments.values()) {
        segment.close();
      }
    }
  }
}
