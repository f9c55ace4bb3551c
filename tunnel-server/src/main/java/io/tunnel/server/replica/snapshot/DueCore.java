package io.tunnel.server.replica.snapshot;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * When a partition that a node leads needs a snapshot: when its log after the last one has grown to
 * some multiple of its rows, so that writing snapshots costs a bounded share of the writes, and a
 * node without a disk reads a bounded log. The rows are those of the last snapshot, whose bytes are
 * exact: RocksDB's estimates count rows that were overwritten, too. The logs of many small
 * partitions are bounded in the sum. A node writes one snapshot at a time.
 */
public final class DueCore {

  private static final long RETRY_NANOS_MIN = 60_000_000_000L;
  private static final int RETRY_DOUBLINGS_MAX = 4;

  /** What a small partition costs in addition to its rows. */
  private static final long SNAPSHOT_BYTES_MIN = 1 << 20;

  private final Limits limits;
  private final Map<Integer, Partition> partitions = new TreeMap<>();

  /** The partition of which a snapshot is written. */
  private OptionalInt running = OptionalInt.empty();

  /**
   * The limits of a node.
   *
   * @param logBytesMin no smaller log makes a partition due by itself
   * @param rowsFactor a log of so many times the partition's rows makes the partition due
   * @param nodeLogBytesMax of the logs after snapshots, in the sum of all partitions
   * @param paceBytes a second, while snapshots keep up
   * @param paceBytesMax a second, however far snapshots lag
   */
  public record Limits(
      long logBytesMin, int rowsFactor, long nodeLogBytesMax, long paceBytes, long paceBytesMax) {

    /** What a node is begun with. */
    public static final Limits USUAL = new Limits(64L << 20, 1, 8L << 30, 32L << 20, 256L << 20);

    /** Refuses limits below 1, and a pace above its bound. */
    public Limits {
      if (logBytesMin < 1 || rowsFactor < 1 || nodeLogBytesMax < 1 || paceBytes < 1) {
        throw new IllegalArgumentException("limits of snapshots below 1");
      }
      if (paceBytes > paceBytesMax) {
        throw new IllegalArgumentException("a pace of " + paceBytes + " above " + paceBytesMax);
      }
    }

    /** The same with another least log. */
    public Limits withLogBytesMin(long bytes) {
      return new Limits(bytes, rowsFactor, nodeLogBytesMax, paceBytes, paceBytesMax);
    }
  }

  /** What is known of a partition. */
  private static final class Partition {
    private long rowBytes;

    /** Of the log since the scan of the last snapshot. */
    private long logBytes;

    /** Of the log since the scan of the snapshot that is written; at most {@link #logBytes}. */
    private long sinceScan;

    /** Attempts that failed since the last snapshot. */
    private int failures;

    private OptionalLong retryNanos = OptionalLong.empty();

    private boolean mayBegin(long nowNanos) {
      return logBytes > 0 && (retryNanos.isEmpty() || nowNanos - retryNanos.getAsLong() >= 0);
    }
  }

  /** A node that leads nothing. */
  public DueCore(Limits limits) {
    this.limits = limits;
  }

  /**
   * The node leads a partition.
   *
   * @param rowBytes of the partition's last snapshot; 0 without one
   * @param logBytes of the partition's log after the last snapshot
   */
  public void lead(int partition, long rowBytes, long logBytes) {
    Partition led = new Partition();
    led.rowBytes = rowBytes;
    led.logBytes = logBytes;
    partitions.put(partition, led);
  }

  /** The node no longer leads a partition; a snapshot of it is stopped. */
  public void leave(int partition) {
    partitions.remove(partition);
    if (running.equals(OptionalInt.of(partition))) {
      running = OptionalInt.empty();
    }
  }

  /** The log of a led partition has so many bytes more, and its snapshot {@code rowBytes}. */
  public void logged(int partition, long bytes, long rowBytes) {
    Partition led = led(partition);
    led.logBytes += bytes;
    led.sinceScan += bytes;
    led.rowBytes = rowBytes;
  }

  private Partition led(int partition) {
    Partition found = partitions.get(partition);
    if (found == null) {
      throw new IllegalStateException("partition " + partition + " is not led");
    }
    return found;
  }

  /** The partition of which a snapshot is to be written now; call {@link #began} then. */
  public OptionalInt next(long nowNanos) {
    if (running.isPresent()) {
      return OptionalInt.empty();
    }
    boolean isNodeFull = logBytes() > limits.nodeLogBytesMax();
    Optional<Map.Entry<Integer, Partition>> most =
        partitions.entrySet().stream()
            .filter(each -> each.getValue().mayBegin(nowNanos))
            .filter(each -> isNodeFull || shareOfDue(each.getValue()) > 1)
            .max(Comparator.comparingDouble(each -> worth(each.getValue(), isNodeFull)));
    return most.map(each -> OptionalInt.of(each.getKey())).orElse(OptionalInt.empty());
  }

  /** A full node is relieved most by the log that goes for the fewest bytes of a snapshot. */
  private double worth(Partition led, boolean isNodeFull) {
    return isNodeFull
        ? (double) led.logBytes / (led.rowBytes + SNAPSHOT_BYTES_MIN)
        : shareOfDue(led);
  }

  private double shareOfDue(Partition led) {
    long due = Math.max(limits.logBytesMin(), limits.rowsFactor() * led.rowBytes);
    return (double) led.logBytes / due;
  }

  /** Bytes of the logs after the snapshots of all led partitions. */
  public long logBytes() {
    return partitions.values().stream().mapToLong(each -> each.logBytes).sum();
  }

  /** A scan of the partition was taken. */
  public void began(int partition) {
    if (running.isPresent()) {
      throw new IllegalStateException(
          "a snapshot of partition " + partition + " beside one of " + running.getAsInt());
    }
    led(partition).sinceScan = 0;
    running = OptionalInt.of(partition);
  }

  /** The record of the snapshot counts. */
  public void counted(int partition) {
    Partition led = end(partition);
    led.logBytes = led.sinceScan;
    led.failures = 0;
    led.retryNanos = OptionalLong.empty();
  }

  /** There is no snapshot; the next attempt waits for a minute, and longer each time. */
  public void failed(int partition, long nowNanos) {
    Partition led = end(partition);
    led.retryNanos = OptionalLong.of(nowNanos + (RETRY_NANOS_MIN << led.failures));
    led.failures = Math.min(RETRY_DOUBLINGS_MAX, led.failures + 1);
  }

  private Partition end(int partition) {
    if (!running.equals(OptionalInt.of(partition))) {
      throw new IllegalStateException("no snapshot of partition " + partition + " is written");
    }
    running = OptionalInt.empty();
    return led(partition);
  }

  /**
   * Bytes a second for a snapshot: twice what is usual when a log is twice as long as it should be,
   * and so on up to the bound.
   */
  public long paceBytes() {
    double behind = (double) logBytes() / limits.nodeLogBytesMax();
    for (Partition each : partitions.values()) {
      behind = Math.max(behind, shareOfDue(each));
    }
    return Math.min(limits.paceBytesMax(), (long) (limits.paceBytes() * Math.max(1, behind)));
  }

  /** Whether writes outrun snapshots at the highest pace: logs grow, and nothing is trimmed. */
  public boolean isOutrun() {
    return paceBytes() == limits.paceBytesMax() && limits.paceBytes() < limits.paceBytesMax();
  }
}
