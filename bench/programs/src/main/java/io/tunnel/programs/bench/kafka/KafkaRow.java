package io.tunnel.programs.bench.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.programs.bench.peer.SourceRow;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A row as key and value of a Kafka record: fixed columns in a fixed order, texts with a length of
 * two bytes before them. As small and quick as a hand-written format gets.
 */
public final class KafkaRow {

  private static final int HASH_BYTES = 4;

  private KafkaRow() {}

  /** The columns of the key. */
  public static byte[] key(SourceRow row) {
    byte[] user = row.user().getBytes(StandardCharsets.UTF_8);
    byte[] device = row.device().getBytes(StandardCharsets.UTF_8);
    byte[] key = new byte[HASH_BYTES + 2 * Short.BYTES + user.length + device.length + Long.BYTES];
    row.hash().copyInto(key, 0);
    ByteBuffer rest = ByteBuffer.wrap(key).position(HASH_BYTES);
    put(rest, user);
    put(rest, device);
    rest.putLong(row.sequence());
    return key;
  }

  /** The attributes. */
  public static byte[] value(SourceRow row) {
    byte[] payload = row.payload().getBytes(StandardCharsets.UTF_8);
    byte[] value = new byte[Short.BYTES + payload.length + Long.BYTES];
    ByteBuffer rest = ByteBuffer.wrap(value);
    put(rest, payload);
    rest.putLong(row.amount());
    return value;
  }

  static long sequence(byte[] key) {
    return ByteBuffer.wrap(key).getLong(key.length - Long.BYTES);
  }

  static long amount(byte[] value) {
    return ByteBuffer.wrap(value).getLong(Short.BYTES + length(value, 0));
  }

  /** All of a record as Java values. */
  static Decoded decode(byte[] key, byte[] value) {
    String user = text(key, HASH_BYTES);
    int deviceOffset = HASH_BYTES + Short.BYTES + length(key, HASH_BYTES);
    String device = text(key, deviceOffset);
    String payload = text(value, 0);
    long digest = Arrays.hashCode(Arrays.copyOf(key, HASH_BYTES));
    digest += user.hashCode();
    digest += device.hashCode();
    digest += Long.hashCode(sequence(key));
    digest += payload.length();
    return new Decoded(amount(value), digest);
  }

  /** The row that a record was made of. */
  public static SourceRow row(byte[] key, byte[] value) {
    int deviceOffset = HASH_BYTES + Short.BYTES + length(key, HASH_BYTES);
    return new SourceRow(
        Bytes.copyOf(key, 0, HASH_BYTES),
        text(key, HASH_BYTES),
        text(key, deviceOffset),
        sequence(key),
        text(value, 0),
        amount(value));
  }

  /** What {@link io.tunnel.programs.bench.peer.Arrivals} want of a decoded record. */
  record Decoded(long amount, long digest) {}

  private static void put(ByteBuffer target, byte[] text) {
    target.putShort((short) text.length);
    target.put(text);
  }

  private static int length(byte[] source, int offset) {
    return ByteBuffer.wrap(source).getShort(offset);
  }

  private static String text(byte[] source, int offset) {
    return new String(source, offset + Short.BYTES, length(source, offset), StandardCharsets.UTF_8);
  }
}
