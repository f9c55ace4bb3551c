package io.tunnel.server.replica.shared;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.FormatFeature.Place;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.util.Optional;

/**
 * The header of a record of the shared log: all of an {@link Entry} but key and value. {@code
 * docs/storage.md} draws it.
 *
 * <pre>
 *   u8 form (1) | u8 kind (1 change, 2 repair, 3 marker) | i64 epoch | i64 sequence
 *   | i64 commit micros of the row, only with a repair | attributes of the row up to the end
 * </pre>
 *
 * <p>A header that this build cannot read is never taken for that of another program: it becomes an
 * entry of kind {@link Kind#NEWER}, in front of which a replica stops. Whether such a record counts
 * cannot be known, so it must not be fenced, and its key must not be repaired.
 */
public final class RecordHeader {

  private static final byte FORM = 1;
  private static final int FIXED_BYTES = 2 + 2 * Long.BYTES;

  private RecordHeader() {}

  /** The header of an entry. */
  public static byte[] encode(Entry entry) {
    ByteSink sink = new ByteSink(FIXED_BYTES + Long.BYTES + entry.attributes().length());
    if (entry.kind() == Kind.NEWER) {
      // Bytes of a newer build stay what they are.
      return entry.attributes().toByteArray();
    }
    sink.writeByte(FORM);
    sink.writeByte(number(entry.kind()));
    sink.writeLong(entry.epoch());
    sink.writeLong(entry.sequence());
    if (entry.kind() == Kind.REPAIR) {
      sink.writeLong(entry.rowMicros());
    }
    sink.write(entry.attributes());
    return sink.toByteArray();
  }

  private static int number(Kind kind) {
    return switch (kind) {
      case CHANGE -> 1;
      case REPAIR -> 2;
      case MARKER -> 3;
      case NEWER -> throw new IllegalArgumentException("a record of a newer build has no number");
    };
  }

  /** The entry of a record with this header; of kind {@link Kind#NEWER} if it cannot be read. */
  public static Entry decode(byte[] header, Bytes key, Optional<Bytes> value) {
    try {
      return read(header, key, value);
    } catch (MalformedException e) {
      return new Entry(Kind.NEWER, key, 0, 0, value, 0, Bytes.copyOf(header));
    }
  }

  private static Entry read(byte[] header, Bytes key, Optional<Bytes> value) {
    if (header.length > 0 && header[0] != FORM) {
      throw new NewerFormatException("a record with a header of form " + (header[0] & 0xff));
    }
    if (header.length < FIXED_BYTES) {
      throw new MalformedException("a record with a header of " + header.length + " bytes");
    }
    Kind kind = kind(header[1]);
    long epoch = Binary.getLong(header, 2);
    long sequence = Binary.getLong(header, 2 + Long.BYTES);
    int at = FIXED_BYTES;
    long rowMicros = 0;
    if (kind == Kind.REPAIR) {
      if (header.length < FIXED_BYTES + Long.BYTES) {
        throw new MalformedException("a repair with a header of " + header.length + " bytes");
      }
      rowMicros = Binary.getLong(header, at);
      at += Long.BYTES;
    }
    if (at == header.length) {
      return new Entry(kind, key, epoch, sequence, value, rowMicros, Bytes.EMPTY);
    }
    Attributes.requireUnderstood(Place.ROW, header, at, header.length);
    Bytes attributes = Bytes.copyOf(header, at, header.length - at);
    return new Entry(kind, key, epoch, sequence, value, rowMicros, attributes);
  }

  private static Kind kind(byte number) {
    return switch (number) {
      case 1 -> Kind.CHANGE;
      case 2 -> Kind.REPAIR;
      case 3 -> Kind.MARKER;
      default -> throw new NewerFormatException("a record of kind " + (number & 0xff));
    };
  }

  /**
   * Refuses an entry that this build cannot read.
   *
   * @throws MalformedException when the entry is of kind {@link Kind#NEWER}; says what is unknown
   */
  public static void requireKnown(Entry entry) {
    if (entry.kind() == Kind.NEWER) {
      Entry unused = read(entry.attributes().toByteArray(), entry.key(), entry.value());
      throw new IllegalStateException("a record that can be read is held back: " + unused);
    }
  }
}
