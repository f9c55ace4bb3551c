package io.tunnel.server.replica.append;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.FormatFeature.Place;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.value.Bytes;
import java.util.Objects;

/**
 * The header of a record of a log of appends. A record is one append of one partition; the value of
 * the record has the batches, as the local log has them.
 *
 * <pre>
 *   u8 form (1) | u8 kind | i64 epoch | i64 marker | i64 number | i64 first | u32 changes
 *   | i64 snapshot | attributes up to the end
 * </pre>
 *
 * @param kind what the record is
 * @param epoch the offset of the marker under which the record was appended; 0 of a marker
 * @param marker the random bytes of that marker, since an offset can be given again when the log
 *     loses its end; of a marker, its own
 * @param number counts the records of the epoch from 1; of a marker, the incarnation of the changes
 *     that follow, in milliseconds since 1970 by the leader's clock
 * @param first the position of the record's first change, or of the next change where the record
 *     has none; of a {@link Kind#BEGIN} the first position of the log; 0 of a marker
 * @param changes the changes of the record's batches; 0 of every other kind
 * @param snapshot the offset of the newest snapshot's record that counts; {@link #NO_SNAPSHOT}
 *     without one
 * @param attributes what later builds add; see {@link Attributes}
 */
public record AppendHeader(
    Kind kind,
    long epoch,
    long marker,
    long number,
    long first,
    int changes,
    long snapshot,
    Bytes attributes) {

  /** The log has no snapshot yet. */
  public static final long NO_SNAPSHOT = -1;

  private static final byte FORM = 1;
  private static final int FIXED_BYTES = 2 + 4 * Long.BYTES + Integer.BYTES + Long.BYTES;

  /** Number 6 is kept for the record after which a partition that is split takes no change. */
  private static final int SEAL = 6;

  /** What a record is. */
  public enum Kind {
    /** A node begins to lead. The offset of the record is the epoch of what follows. */
    MARKER(1),
    /** Complete batches, or none where every row of a batch was refused. */
    BATCHES(2),
    /** Names a snapshot of the rows, whose blocks are in another topic. */
    SNAPSHOT(3),
    /** Names what readers must not ask for any more. */
    TRIM(4),
    /**
     * Raises the next position of a restored partition. Counts only while no record of another kind
     * has counted, so a former incarnation of the partition has its first position.
     */
    BEGIN(5);

    private final int number;

    Kind(int number) {
      this.number = number;
    }

    private static Kind of(int number) {
      for (Kind kind : values()) {
        if (kind.number == number) {
          return kind;
        }
      }
      throw new NewerFormatException(
          number == SEAL
              ? "a record that seals a partition (kind 6) of the shared log"
              : "a record of kind " + number + " of the shared log");
    }
  }

  /** Refuses a header that no leader writes. */
  public AppendHeader {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(attributes, "attributes");
    boolean isMarker = kind == Kind.MARKER;
    require(epoch >= 0 && (!isMarker || epoch == 0), kind, "epoch", epoch);
    require(number >= 1, kind, "number", number);
    require(isMarker ? first == 0 : first >= 1, kind, "first position", first);
    require(kind == Kind.BATCHES ? changes >= 0 : changes == 0, kind, "count of changes", changes);
    require(first <= Long.MAX_VALUE - changes, kind, "first position", first);
    require(snapshot >= NO_SNAPSHOT, kind, "snapshot", snapshot);
  }

  private static void require(boolean isRight, Kind kind, String what, long value) {
    if (!isRight) {
      throw new MalformedException("a record of kind " + kind + " with the " + what + " " + value);
    }
  }

  /** The header of a marker with these random bytes, which begins an incarnation. */
  public static AppendHeader marker(long marker, long incarnation, long snapshot) {
    return new AppendHeader(Kind.MARKER, 0, marker, incarnation, 0, 0, snapshot, Bytes.EMPTY);
  }

  /** The bytes of the header. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(FIXED_BYTES + attributes.length());
    sink.writeByte(FORM);
    sink.writeByte(kind.number);
    sink.writeLong(epoch);
    sink.writeLong(marker);
    sink.writeLong(number);
    sink.writeLong(first);
    sink.writeInt(changes);
    sink.writeLong(snapshot);
    sink.write(attributes);
    return sink.toByteArray();
  }

  /**
   * The header with these bytes.
   *
   * @throws NewerFormatException for a form, a kind or an odd attribute that this build does not
   *     know. A reader holds back at such a record: the reader cannot tell whether it counts
   * @throws MalformedException for bytes that no build writes
   */
  public static AppendHeader decode(byte[] bytes) {
    if (bytes.length == 0) {
      throw new MalformedException("a record of the shared log with an empty header");
    }
    if (bytes[0] != FORM) {
      throw new NewerFormatException(
          "a record of the shared log with a header of form " + (bytes[0] & 0xff));
    }
    if (bytes.length < FIXED_BYTES) {
      throw new MalformedException(
          "a record of the shared log with a header of " + bytes.length + " bytes");
    }
    Kind kind = Kind.of(bytes[1] & 0xff);
    Attributes.requireUnderstood(Place.RECORD, bytes, FIXED_BYTES, bytes.length);
    int at = 2;
    return new AppendHeader(
        kind,
        Binary.getLong(bytes, at),
        Binary.getLong(bytes, at + Long.BYTES),
        Binary.getLong(bytes, at + 2 * Long.BYTES),
        Binary.getLong(bytes, at + 3 * Long.BYTES),
        Binary.getInt(bytes, at + 4 * Long.BYTES),
        Binary.getLong(bytes, at + 4 * Long.BYTES + Integer.BYTES),
        Bytes.copyOf(bytes, FIXED_BYTES, bytes.length - FIXED_BYTES));
  }
}
