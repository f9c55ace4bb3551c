package io.tunnel.stress;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.PrimaryKeyType;
import io.tunnel.model.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.List;

/** The table that generated rows fit, and how a table that starts with a hash is split. */
public final class StressTable {

  /** The key column that holds a {@link KeyHash}. */
  public static final String HASH = "hash";

  static final String UID = "uid";
  static final String SEQ = "seq";
  static final String KIND = "kind";

  /** The key of generated rows. */
  public static final List<PrimaryKeySchema> PRIMARY_KEY =
      List.of(
          new PrimaryKeySchema(HASH, PrimaryKeyType.BINARY),
          new PrimaryKeySchema(UID, PrimaryKeyType.STRING),
          new PrimaryKeySchema(SEQ, PrimaryKeyType.INTEGER),
          new PrimaryKeySchema(KIND, PrimaryKeyType.STRING));

  private StressTable() {}

  /** The points that split a table with a leading {@link KeyHash} into equal parts. */
  public static List<PrimaryKeyValue> splitPoints(int partitions) {
    if (partitions < 1 || partitions > Limits.TABLE_PARTITIONS_MAX) {
      throw new IllegalArgumentException(
          "a table has 1 to " + Limits.TABLE_PARTITIONS_MAX + " partitions, not " + partitions);
    }
    List<PrimaryKeyValue> points = new ArrayList<>(partitions - 1);
    for (int i = 1; i < partitions; i++) {
      long point = ((long) i << 32) / partitions;
      byte[] bytes = new byte[KeyHash.BYTES];
      for (int b = 0; b < KeyHash.BYTES; b++) {
        bytes[b] = (byte) (point >>> (24 - 8 * b));
      }
      points.add(PrimaryKeyValue.fromBinary(bytes));
    }
    return points;
  }
}
