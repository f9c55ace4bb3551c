package io.tunnel.stress.rows;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.table.HashedKey;
import java.util.List;
import java.util.stream.Collectors;

/** The table that generated rows fit; it is split by {@link HashedKey#splitPoints}. */
public final class StressTable {

  static final String UID = "uid";
  static final String SEQ = "seq";
  static final String KIND = "kind";

  /** The key of generated rows. */
  public static final List<PrimaryKeySchema> PRIMARY_KEY =
      HashedKey.schema(
          new PrimaryKeySchema(UID, PrimaryKeyType.STRING),
          new PrimaryKeySchema(SEQ, PrimaryKeyType.INTEGER),
          new PrimaryKeySchema(KIND, PrimaryKeyType.STRING));

  private StressTable() {}

  /** The key as people write it. */
  public static String keyText() {
    return PRIMARY_KEY.stream()
        .map(column -> column.name() + " " + column.type())
        .collect(Collectors.joining(", ", "(", ")"));
  }
}
