package io.tunnel.sdk.table;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.codec.digest.MurmurHash3;

/**
 * Keys that spread evenly over partitions, however skewed the rows' own keys are: the first column
 * is {@code hash BINARY}, a 4-byte hash of the key's other columns, and the table is split evenly
 * over all hashes ({@link #splitPoints}).
 *
 * <p>The hash is <b>Murmur3, the 32-bit variant for x86, seed 0</b>, its four bytes in big-endian
 * order. It is taken over the other columns in the key's order with one zero byte between any two:
 * of an INTEGER its 8 bytes in big-endian order (two's complement), of a STRING its UTF-8, of a
 * BINARY its bytes. So the hash of the single column {@code uid = "user-14066"} is the hash of that
 * text, {@code 5adf392c}, which every language has a library for.
 *
 * <pre>{@code
 * tables.createTable(
 *     new TableMeta("users", HashedKey.schema(new PrimaryKeySchema("uid", PrimaryKeyType.STRING))),
 *     HashedKey.splitPoints(8));
 * PrimaryKey key =
 *     HashedKey.of(new PrimaryKeyColumn("uid", PrimaryKeyValue.fromString("user-14066")));
 * }</pre>
 *
 * <p>For the server the hash is an ordinary column. A hash is no secret: a client can choose keys
 * with equal hashes.
 */
public final class HashedKey {

  /** Bytes of a hash. */
  public static final int HASH_BYTES = 4;

  /** The column name by which tools recognise a hash. */
  public static final String COLUMN = "hash";

  private static final int SEED = 0;

  private HashedKey() {}

  /** The columns {@code hash BINARY} and {@code rest}, at most 3. */
  public static List<PrimaryKeySchema> schema(PrimaryKeySchema... rest) {
    List<PrimaryKeySchema> schema = new ArrayList<>();
    schema.add(new PrimaryKeySchema(COLUMN, PrimaryKeyType.BINARY));
    schema.addAll(List.of(rest));
    return List.copyOf(schema);
  }

  /**
   * Whether a key begins with {@code hash BINARY} and has other columns behind it, none of which
   * the server numbers: no hash of a number is known before the number.
   */
  public static boolean isHashed(List<PrimaryKeySchema> schema) {
    return canBeHashed(schema) && schema.get(0).name().equals(COLUMN);
  }

  /**
   * Whether a key begins with a BINARY column, of any name, and has other columns behind it, none
   * of which the server numbers.
   */
  public static boolean canBeHashed(List<PrimaryKeySchema> schema) {
    return schema.size() > 1
        && schema.get(0).type() == PrimaryKeyType.BINARY
        && PrimaryKeySchema.autoPlace(schema).isEmpty();
  }

  /**
   * The key of {@code rest} behind its hash, in a column named {@value #COLUMN}.
   *
   * @throws IllegalArgumentException when {@code rest} has no column, more than 3, or one twice
   */
  public static PrimaryKey of(PrimaryKeyColumn... rest) {
    return of(COLUMN, List.of(rest));
  }

  /**
   * The key of {@code rest} behind its hash.
   *
   * @param hashColumn the name of the hash column
   * @throws IllegalArgumentException when {@code rest} has no column, more than 3, or one twice
   */
  public static PrimaryKey of(String hashColumn, List<PrimaryKeyColumn> rest) {
    List<PrimaryKeyColumn> columns = new ArrayList<>(Limits.KEY_COLUMNS_MAX);
    Bytes hash = hash(rest.stream().map(PrimaryKeyColumn::getValue).toList());
    columns.add(new PrimaryKeyColumn(hashColumn, PrimaryKeyValue.fromBinary(hash)));
    columns.addAll(rest);
    return new PrimaryKey(columns);
  }

  /**
   * The hash of a key's other columns.
   *
   * @throws IllegalArgumentException when {@code rest} is empty, or has a value that the server is
   *     to choose
   */
  public static Bytes hash(List<PrimaryKeyValue> rest) {
    if (rest.isEmpty()) {
      throw new IllegalArgumentException("a hashed key needs a column besides the hash");
    }
    if (rest.stream().anyMatch(PrimaryKeyValue::isAuto)) {
      throw new IllegalArgumentException(
          "the hash of a number that the server chooses is not known; hash the other columns alone,"
              + " with HashedKey.hash");
    }
    byte[][] parts = new byte[rest.size()][];
    int length = rest.size() - 1;
    for (int i = 0; i < parts.length; i++) {
      parts[i] = bytesOf(rest.get(i));
      length += parts[i].length;
    }
    byte[] input = parts.length == 1 ? parts[0] : new byte[length];
    if (parts.length > 1) {
      int at = 0;
      for (byte[] part : parts) {
        System.arraycopy(part, 0, input, at, part.length);
        at += part.length + 1;
      }
    }
    return Bytes.copyOf(bigEndian(MurmurHash3.hash32x86(input, 0, input.length, SEED), HASH_BYTES));
  }

  /**
   * The points that split the range of hashes into {@code partitions} equal parts.
   *
   * @throws IllegalArgumentException when a table cannot have this number of partitions
   */
  public static List<PrimaryKeyValue> splitPoints(int partitions) {
    if (partitions < 1 || partitions > Limits.TABLE_PARTITIONS_MAX) {
      throw new IllegalArgumentException(
          "a table has 1 to " + Limits.TABLE_PARTITIONS_MAX + " partitions, not " + partitions);
    }
    List<PrimaryKeyValue> points = new ArrayList<>(partitions - 1);
    for (int i = 1; i < partitions; i++) {
      points.add(PrimaryKeyValue.fromBinary(bigEndian(((long) i << 32) / partitions, HASH_BYTES)));
    }
    return points;
  }

  private static byte[] bytesOf(PrimaryKeyValue value) {
    return switch (value.getType()) {
      case STRING -> value.asString().getBytes(StandardCharsets.UTF_8);
      case INTEGER -> bigEndian(value.asLong(), Long.BYTES);
      case BINARY -> value.asBinary();
    };
  }

  private static byte[] bigEndian(long number, int bytes) {
    byte[] result = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      result[i] = (byte) (number >>> (8 * (bytes - 1 - i)));
    }
    return result;
  }
}
