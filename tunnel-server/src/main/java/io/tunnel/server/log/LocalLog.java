package io.tunnel.server.log;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The log of a shard on its own disk. {@link #append} is for the shard's owner thread alone;
 * everything of {@link ChangeReader} is for any thread.
 *
 * <p>Invariant: a batch enters the index, and {@code committed} moves, only after its group is
 * written and, where the group asks for it, synced. A reader therefore never sees what a crash
 * could take back below the promised durability.
 *
 * <p>A failed write or sync leaves it unknown what the disk holds, so the log then refuses every
 * further append; what is committed stays readable.
 */
public final class LocalLog implements ChangeReader, Closeable {

  private final Disk disk;
  private final int shard;
  private final int segmentBytesMax;
  private final NavigableMap<Long, Segment> segments;
  private final Map<Integer, PartitionLog> partitions = new ConcurrentHashMap<>();
  private final ByteSink buffer = new ByteSink(64 * 1024);
  private final AtomicLong syncedOffset;
  private volatile Segment active;
  private volatile boolean hasFailed;
  private long lastCommitMicros;

  private LocalLog(Disk disk, int shard, int segmentBytesMax, LogRecovery.Recovered recovered) {
    this.disk = disk;
    this.shard = shard;
    this.segmentBytesMax = segmentBytesMax;
    this.segments = recovered.segments();
    this.active = segments.lastEntry().getValue();
    this.syncedOffset = new AtomicLong(active.end());
    this.lastCommitMicros = recovered.lastCommitMicros();
    for (Segment segment : segments.values()) {
      segment.index().forEach((partition, index) -> register(partition, segment, index));
    }
  }

  /**
   * Opens the log of {@code shard} in {@code directory} and repairs what a crash left: a group that
   * was being written is cut off.
   *
   * @param segmentBytesMax bytes after which a new segment file is begun
   * @throws IOException when the disk fails, or when durable bytes have changed; nothing was
   *     touched then
   */
  public static LocalLog open(Path directory, int shard, int segmentBytesMax) throws IOException {
    return open(new FileDisk(directory), shard, segmentBytesMax);
  }

  static LocalLog open(Disk disk, int shard, int segmentBytesMax) throws IOException {
    return new LocalLog(disk, shard, segmentBytesMax, new LogRecovery(disk, shard).recover());
  }

  private void register(int partition, Segment segment, BatchIndex index) {
    PartitionLog log = partitionLog(partition);
    log.segments.put(index.firstPosition(0), segment);
    log.committed = Math.max(log.committed, index.lastPosition(index.count()));
  }

  private PartitionLog partitionLog(int partition) {
    return partitions.computeIfAbsent(partition, PartitionLog::new);
  }

  /**
   * Commits a group: writes it, syncs it when {@code sync} says so, and tells the listeners.
   *
   * @param nowMicros the clock; commit times never go backwards even when it does
   * @return the first position of each added batch, by its number in the group
   * @throws IOException when the disk failed; whether the group was written is unknown, and the log
   *     accepts no more
   */
  public long[] append(GroupCore group, boolean sync, long nowMicros) throws IOException {
    requireWhole();
    long[] firstPositions = new long[group.batchCount()];
    lastCommitMicros = Math.max(lastCommitMicros, nowMicros);
    try {
      if (active.size() >= segmentBytesMax) {
        roll();
      }
      long groupOffset = active.size();
      buffer.truncate(0);
      group.encode(
          buffer, syncedOffset.get(), lastCommitMicros, new NextPositions(), firstPositions);
      active.append(ByteBuffer.wrap(buffer.array(), 0, buffer.size()));
      if (sync) {
        sync();
      }
      commit(group, groupOffset);
    } catch (IOException | RuntimeException e) {
      hasFailed = true;
      throw e;
    }
    return firstPositions;
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
      GrowingIndex index = active.growing(batch.partition());
      boolean isFirst = index.count() == 0;
      int fileOffset = Math.toIntExact(groupOffset + batch.offsetInGroup());
      index.add(batch.firstPosition(), last, fileOffset, batch.bytes());
      if (isFirst) {
        log.segments.put(batch.firstPosition(), active);
      }
      log.committed = last;
    }
    for (GroupCore.Merged batch : group.batches()) {
      partitionLog(batch.partition()).tellListeners();
    }
  }

  /**
   * Makes everything appended durable. May be called by any thread.
   *
   * @throws IOException when the disk failed, now or before: an operating system reports a failed
   *     sync once and forgets what it could not write, so a later sync that succeeds proves nothing
   */
  public void sync() throws IOException {
    requireWhole();
    Segment segment = active;
    long end = segment.end();
    try {
      segment.sync();
    } catch (IOException e) {
      hasFailed = true;
      throw e;
    }
    syncedOffset.accumulateAndGet(end, Math::max);
  }

  private void requireWhole() throws IOException {
    if (hasFailed) {
      throw new IOException("the log of shard " + shard + " failed before and accepts no more");
    }
  }

  private void roll() throws IOException {
    sync();
    storeIndex(active);
    long base = active.end();
    Disk.File file = disk.open(LogFormat.segmentName(base));
    Segment next = new Segment(base, file, 0);
    next.append(LogFormat.segmentHeader(base, shard));
    next.sync();
    disk.syncNames();
    segments.put(base, next);
    active = next;
  }

  private void storeIndex(Segment segment) throws IOException {
    String name = LogFormat.indexName(segment.base());
    disk.replace(name, StoredIndex.write(segment.base(), segment.size(), segment.index()));
    StoredIndex.Contents stored = StoredIndex.read(disk.readOnly(name), segment.base());
    if (stored == null) {
      throw new IOException("the index " + name + " reads back damaged");
    }
    stored.partitions().forEach(segment::putIndex);
  }

  /** Offset behind the last byte. */
  public long end() {
    return active.end();
  }

  /** Offset up to which everything is synced. */
  public long syncedOffset() {
    return syncedOffset.get();
  }

  /** Files of the log. */
  public int segmentCount() {
    return segments.size();
  }

  /** Bytes of all files of the log. */
  public long byteCount() {
    return segments.values().stream().mapToLong(Segment::size).sum();
  }

  /** Is given what a replay reads. */
  public interface ReplayVisitor {
    /** The next batch; valid until {@link #groupEnd} returns. */
    void batch(ChangeBatch batch) throws IOException;

    /** All batches of a group have been given; the next group starts at log offset {@code end}. */
    void groupEnd(long end) throws IOException;
  }

  /** Visits all batches of the groups that start at or behind log offset {@code from}, in order. */
  public void replay(long from, ReplayVisitor visitor) throws IOException {
    if (from > end()) {
      throw new CorruptLogException(
          "the log ends at offset "
              + end()
              + " but its table is folded up to offset "
              + from
              + ": files of the log are missing or older than the table");
    }
    Long floor = segments.floorKey(from);
    for (Segment segment : segments.tailMap(floor == null ? from : floor, true).values()) {
      long start = Math.max(LogFormat.SEGMENT_HEADER_BYTES, from - segment.base());
      replay(segment, start, visitor);
    }
  }

  private static void replay(Segment segment, long start, ReplayVisitor visitor)
      throws IOException {
    SegmentScan scan = new SegmentScan(segment, start);
    while (scan.offset() < segment.size()) {
      long groupStart = scan.offset();
      if (!scan.next((batch, offset) -> visitor.batch(batch))) {
        throw new CorruptLogException(
            "the log is damaged at offset "
                + (segment.base() + groupStart)
                + " (file "
                + LogFormat.segmentName(segment.base())
                + ", byte "
                + groupStart
                + ")");
      }
      visitor.groupEnd(segment.base() + scan.offset());
    }
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

  @Override
  public Extents plan(int partition, long position, int bytesMax) {
    Extents plan = new Extents();
    PartitionLog log = partitions.get(partition);
    if (log == null || position > log.committed) {
      return plan;
    }
    Map.Entry<Long, Segment> start = log.segments.floorEntry(position);
    if (start == null) {
      throw new RefusedException(
          ErrorCode.HISTORY_LOST,
          "changes "
              + position
              + " to "
              + (firstPosition(partition) - 1)
              + " of partition "
              + partition
              + " are no longer kept");
    }
    Iterator<Segment> rest = log.segments.tailMap(start.getKey(), true).values().iterator();
    boolean hasRoom = true;
    while (hasRoom && rest.hasNext()) {
      Segment segment = rest.next();
      hasRoom = collect(plan, segment, segment.index(partition), position, bytesMax);
    }
    return plan;
  }

  /** Adds what fits of one segment; false when the plan is full. */
  private static boolean collect(
      Extents plan, Segment segment, BatchIndex index, long position, int bytesMax) {
    int count = index.count();
    for (int i = Math.max(0, index.floor(position, count)); i < count; i++) {
      int bytes = index.batchBytes(i, count);
      if (!plan.isEmpty() && bytes > bytesMax - plan.bytes()) {
        return false;
      }
      plan.add(segment, index.fileOffset(i), bytes, index.lastPosition(i + 1));
    }
    return true;
  }

  @Override
  public long bytesAfter(int partition, long position) {
    PartitionLog log = partitions.get(partition);
    if (log == null || position >= log.committed) {
      return 0;
    }
    Long start = log.segments.floorKey(position + 1);
    long bytes = 0;
    for (Segment segment :
        log.segments.tailMap(start == null ? position + 1 : start, true).values()) {
      BatchIndex index = segment.index(partition);
      int count = index.count();
      int from = Math.max(0, index.floor(position + 1, count));
      bytes += index.bytesOf(count) - index.bytesBefore(from);
    }
    return bytes;
  }

  @Override
  public long commitMicrosAfter(int partition, long position) throws IOException {
    Extents next = plan(partition, Math.max(position + 1, firstPosition(partition)), 1);
    return next.isEmpty() ? 0 : next.commitMicros();
  }

  @Override
  public long positionBefore(int partition, long epochMicros) throws IOException {
    PartitionLog log = partitions.get(partition);
    return log == null ? 0 : log.positionBefore(epochMicros);
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
      if (!hasFailed) {
        sync();
        storeIndex(active);
      }
    } finally {
      for (Segment segment : segments.values()) {
        segment.close();
      }
    }
  }
}
