package io.tunnel.flink.source.split;

import io.tunnel.model.value.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The bytes of a split in a checkpoint. Version 3: i32 partition, u8 kind of rows, i64 rows, i32
 * length and the key, i64 position, end and moment each as u8 present and i64, u8 finished, u8
 * whole, i32 count and the ranges of rows, each as i32 length, the key and i64 position, and the
 * incarnation as u8 present and i64. No other version is read.
 */
public final class TunnelSplitSerializer implements SimpleVersionedSerializer<TunnelSplit> {

  /** The only version; builds before 0.1.0 wrote lower ones. */
  public static final int VERSION = 3;

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(TunnelSplit split) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    write(split, new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  @Override
  public TunnelSplit deserialize(int version, byte[] serialized) throws IOException {
    requireVersion("split", version);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
    TunnelSplit split = read(in);
    requireEnd("split", in);
    return split;
  }

  /** Refuses state of another version than {@value VERSION}. */
  public static void requireVersion(String what, int version) throws IOException {
    if (version != VERSION) {
      throw new IOException(
          "the state of a "
              + what
              + " has version "
              + version
              + ", and this connector reads version "
              + VERSION
              + (version < VERSION
                  ? ": a build before 0.1.0 wrote it; start the job without this state"
                  : ": a later connector wrote it; use that connector, or start the job without"
                      + " this state"));
    }
  }

  /** Refuses bytes behind the last field. */
  public static void requireEnd(String what, DataInputStream in) throws IOException {
    if (in.available() > 0) {
      throw new IOException(in.available() + " bytes stand behind a " + what);
    }
  }

  /** Writes version {@value VERSION}. */
  public static void write(TunnelSplit split, DataOutputStream out) throws IOException {
    out.writeInt(split.partition());
    out.writeByte(split.base().kind().code());
    out.writeLong(split.base().rows());
    writeKey(split.base().key(), out);
    out.writeLong(split.position());
    writeOptional(split.end().position(), out);
    writeOptional(split.end().ms(), out);
    out.writeBoolean(split.isFinished());
    out.writeBoolean(split.isWhole());
    out.writeInt(split.base().ranges().size());
    for (RowRange range : split.base().ranges()) {
      writeKey(range.upTo(), out);
      out.writeLong(range.position());
    }
    writeOptional(split.incarnation(), out);
  }

  private static void writeKey(Bytes key, DataOutputStream out) throws IOException {
    out.writeInt(key.length());
    out.write(key.toByteArray());
  }

  private static void writeOptional(Optional<Long> value, DataOutputStream out) throws IOException {
    out.writeBoolean(value.isPresent());
    if (value.isPresent()) {
      out.writeLong(value.get());
    }
  }

  /** Reads what {@link #write} wrote. */
  public static TunnelSplit read(DataInputStream in) throws IOException {
    try {
      int partition = in.readInt();
      int code = in.readUnsignedByte();
      BasePart.Kind kind =
          BasePart.Kind.of(code)
              .orElseThrow(() -> new IOException("a split with rows of kind " + code));
      long rows = in.readLong();
      Bytes key = readKey(in);
      long position = in.readLong();
      SplitEnd end = new SplitEnd(readOptional(in), readOptional(in));
      boolean isFinished = in.readBoolean();
      boolean isWhole = in.readBoolean();
      List<RowRange> ranges = readRanges(in);
      Optional<Long> incarnation = readOptional(in);
      BasePart base = new BasePart(kind, rows, key, ranges);
      return new TunnelSplit(partition, base, position, end, isWhole, isFinished, incarnation);
    } catch (IllegalArgumentException e) {
      throw new IOException("a split that cannot be: " + e.getMessage(), e);
    }
  }

  private static List<RowRange> readRanges(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > in.available()) {
      throw new IOException(count + " ranges of rows in " + in.available() + " bytes");
    }
    List<RowRange> ranges = new ArrayList<>();
    for (int left = count; left > 0; left--) {
      ranges.add(new RowRange(readKey(in), in.readLong()));
    }
    return ranges;
  }

  private static Bytes readKey(DataInputStream in) throws IOException {
    int bytes = in.readInt();
    if (bytes < 0 || bytes > in.available()) {
      throw new IOException("a key of " + bytes + " bytes in a split");
    }
    return Bytes.copyOf(in.readNBytes(bytes));
  }

  private static Optional<Long> readOptional(DataInputStream in) throws IOException {
    return in.readBoolean() ? Optional.of(in.readLong()) : Optional.empty();
  }
}
