package io.tunnel.flink.source.split;

import io.tunnel.model.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Optional;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The bytes of a split in a checkpoint. Version 1: i32 partition, u8 kind of rows, i64 rows, i32
 * and the key, i64 position, the end and the moment each as u8 whether it is there and i64, u8
 * whether it is finished.
 */
public final class TunnelSplitSerializer implements SimpleVersionedSerializer<TunnelSplit> {

  /** The version that is written. */
  static final int VERSION = 1;

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
    requireVersion("split", version, VERSION);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
    TunnelSplit split = read(in);
    requireEnd("split", in);
    return split;
  }

  /** Refuses what a later version of this connector has written. */
  public static void requireVersion(String what, int version, int known) throws IOException {
    if (version != known) {
      throw new IOException(
          "the state of a " + what + " has version " + version + "; this connector reads " + known);
    }
  }

  /** Refuses bytes behind what was read. */
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
    byte[] key = split.base().key().toByteArray();
    out.writeInt(key.length);
    out.write(key);
    out.writeLong(split.position());
    writeOptional(split.end(), out);
    writeOptional(split.endMs(), out);
    out.writeBoolean(split.isFinished());
  }

  private static void writeOptional(Optional<Long> value, DataOutputStream out) throws IOException {
    out.writeBoolean(value.isPresent());
    if (value.isPresent()) {
      out.writeLong(value.get());
    }
  }

  /** Reads version {@value VERSION}. */
  public static TunnelSplit read(DataInputStream in) throws IOException {
    try {
      int partition = in.readInt();
      int code = in.readUnsignedByte();
      BasePart.Kind kind =
          BasePart.Kind.of(code)
              .orElseThrow(() -> new IOException("a split with rows of kind " + code));
      long rows = in.readLong();
      int keyBytes = in.readInt();
      if (keyBytes < 0 || keyBytes > in.available()) {
        throw new IOException("a key of " + keyBytes + " bytes in a split");
      }
      Bytes key = Bytes.copyOf(in.readNBytes(keyBytes));
      BasePart base = new BasePart(kind, rows, key);
      return new TunnelSplit(
          partition, base, in.readLong(), readOptional(in), readOptional(in), in.readBoolean());
    } catch (IllegalArgumentException e) {
      throw new IOException("a split that cannot be: " + e.getMessage(), e);
    }
  }

  private static Optional<Long> readOptional(DataInputStream in) throws IOException {
    return in.readBoolean() ? Optional.of(in.readLong()) : Optional.empty();
  }
}
