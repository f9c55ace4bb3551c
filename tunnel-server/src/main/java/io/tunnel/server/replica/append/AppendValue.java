package io.tunnel.server.replica.append;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.snapshot.SnapshotContent;
import io.tunnel.wire.control.Json;
import java.util.Objects;

/**
 * The value of a record without batches: JSON, whose unknown members are skipped. What a reader
 * must understand stands in the header of the record.
 */
sealed interface AppendValue {

  /** The kind of the record that has such a value. */
  Kind kind();

  /** The bytes of the value. */
  default byte[] encode() {
    return Utf8.encode(Json.toText((Record) this));
  }

  /**
   * The value of a record.
   *
   * @throws MalformedException for bytes that no leader writes, and for a record with batches
   */
  static AppendValue decode(Kind kind, byte[] value) {
    String text;
    try {
      text = Utf8.decodeStrictly(value);
    } catch (RuntimeException e) {
      throw new MalformedException("the value of a record of kind " + kind + " is not UTF-8");
    }
    return switch (kind) {
      case MARKER -> Json.ofText(text, Leader.class);
      case SNAPSHOT -> Json.ofText(text, Snapshot.class);
      case TRIM -> Json.ofText(text, Trim.class);
      case BEGIN -> Json.ofText(text, Begin.class);
      case BATCHES -> throw new MalformedException("a record of batches has no other value");
    };
  }

  private static void require(boolean isRight, String message) {
    if (!isRight) {
      throw new MalformedException(message);
    }
  }

  /**
   * Who leads from the marker on; for people.
   *
   * @param node the node's id
   * @param start differs between two starts of the node
   */
  record Leader(String node, String start) implements AppendValue {

    /** Refuses null. */
    public Leader {
      Objects.requireNonNull(node, "node");
      Objects.requireNonNull(start, "start");
    }

    @Override
    public Kind kind() {
      return Kind.MARKER;
    }
  }

  /**
   * A snapshot of the rows of the partition, and of what belongs to them.
   *
   * @param id above the ids of all earlier snapshots of the partition
   * @param at what a reader of the log knew: the rows have all changes before {@code at.position}
   * @param lastMicros the commit time of the last change before; 0 without one
   * @param trimmed what readers must not ask for
   * @param blocks where the rows are
   */
  record Snapshot(long id, FollowState at, long lastMicros, Trim trimmed, SnapshotContent blocks)
      implements AppendValue {

    /** Refuses what no leader writes. */
    public Snapshot {
      Objects.requireNonNull(at, "at");
      Objects.requireNonNull(trimmed, "trimmed");
      Objects.requireNonNull(blocks, "blocks");
      require(id >= 1, "a snapshot with the id " + id);
      require(lastMicros >= 0, "a snapshot of changes at the time " + lastMicros);
      require(
          trimmed.position() <= at.position() && trimmed.offset() <= at.next(),
          "a snapshot at position " + at.position() + " of a log trimmed to " + trimmed);
    }

    @Override
    public Kind kind() {
      return Kind.SNAPSHOT;
    }
  }

  /**
   * What readers must not ask for any more. Of several trims, the greatest position and the
   * greatest offsets hold.
   *
   * @param position no change before is read
   * @param offset the log may delete all records before
   * @param block the log of blocks may delete all blocks before this offset; no reader begins with
   *     a snapshot whose first block is before
   */
  record Trim(long position, long offset, long block) implements AppendValue {

    /** Nothing is trimmed. */
    static final Trim NONE = new Trim(1, 0, 0);

    /** Refuses what no leader writes. */
    public Trim {
      require(
          position >= 1 && offset >= 0 && block >= 0,
          "a trim to position " + position + " at offset " + offset + " and block " + block);
    }

    /** What holds after both trims. */
    Trim with(Trim other) {
      return new Trim(
          Math.max(position, other.position),
          Math.max(offset, other.offset),
          Math.max(block, other.block));
    }

    @Override
    public Kind kind() {
      return Kind.TRIM;
    }
  }

  /**
   * The positions of a restored partition continue; the header has the next position.
   *
   * @param incarnation of the changes before the position
   * @param lastMicros no change is committed before; 0 if unknown
   */
  record Begin(long incarnation, long lastMicros) implements AppendValue {

    /** Refuses what no leader writes. */
    public Begin {
      require(
          incarnation >= 0 && lastMicros >= 0,
          "a log that begins after incarnation " + incarnation + " at the time " + lastMicros);
    }

    @Override
    public Kind kind() {
      return Kind.BEGIN;
    }
  }
}
