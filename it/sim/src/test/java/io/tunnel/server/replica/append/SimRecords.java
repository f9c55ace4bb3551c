package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.log.AppendBatches;
import java.util.List;

/** Reads records of a log for comparisons. */
public final class SimRecords {

  private SimRecords() {}

  /**
   * A snapshot that a record names.
   *
   * @param position of the first change after the snapshot
   * @param offset of the first record after the snapshot
   * @param firstBlock offset of the first block
   * @param blocks how many blocks the snapshot has
   */
  public record Named(long id, long position, long offset, long firstBlock, int blocks) {}

  /**
   * What a record says that nobody needs.
   *
   * @param position no change before is delivered any more
   * @param offset no record before is needed
   * @param block no block before is needed
   */
  public record Trimmed(long position, long offset, long block) {

    /** Everything is needed. */
    public static final Trimmed NONE = new Trimmed(1, 0, 0);

    /** What either says. */
    public Trimmed with(Trimmed other) {
      return new Trimmed(
          Math.max(position, other.position),
          Math.max(offset, other.offset),
          Math.max(block, other.block));
    }
  }

  /** The node that leads from a marker on. */
  public static String leaderOf(AppendTail.Stored marker) {
    AppendValue value = AppendValue.decode(AppendHeader.Kind.MARKER, marker.value());
    return ((AppendValue.Leader) value).node();
  }

  /** The snapshot that a record of this kind names. */
  public static Named named(AppendTail.Stored record) {
    AppendValue.Snapshot snapshot =
        (AppendValue.Snapshot) AppendValue.decode(AppendHeader.Kind.SNAPSHOT, record.value());
    return new Named(
        snapshot.id(),
        snapshot.at().position(),
        snapshot.at().next(),
        snapshot.blocks().firstOffset(),
        snapshot.blocks().count());
  }

  /** The limits that a TRIM record names. */
  public static Trimmed trimmed(AppendTail.Stored record) {
    AppendValue.Trim trim =
        (AppendValue.Trim) AppendValue.decode(AppendHeader.Kind.TRIM, record.value());
    return new Trimmed(trim.position(), trim.offset(), trim.block());
  }

  /** The batches of a record. */
  public static List<ChangeBatch> batches(int partition, AppendTail.Stored record) {
    AppendHeader header = record.header();
    return AppendBatches.parse(record.value(), partition, header.first(), header.changes());
  }
}
