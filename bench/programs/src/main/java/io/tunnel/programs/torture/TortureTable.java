package io.tunnel.programs.torture;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The tables that are written to: keys are numbers, and each change of a key has a version. */
final class TortureTable {

  /** Keeps all its changes; channels and rows are held against the ledger. */
  static final String NAME = "ledger";

  /** Keeps few changes, so that files are deleted all the time; only its rows are looked at. */
  static final String SHORT = "short";

  static final int KEYS = 4_000;
  static final int PARTITIONS = 8;

  private static final String VERSION = "v";
  private static final String FILLING = "filling";
  private static final int SHORT_BYTES = 2 << 20;
  private static final Duration SHORT_TIME = Duration.ofSeconds(30);

  private TortureTable() {}

  static TableMeta meta() {
    return new TableMeta(NAME, key());
  }

  /** What is kept is limited by size, and in a cluster by age, too. */
  static TableMeta shortMeta(boolean isOfCluster) {
    TableOptions bySize = TableOptions.DEFAULT.withRetentionBytes(SHORT_BYTES);
    TableOptions options = isOfCluster ? bySize.withRetention(SHORT_TIME) : bySize;
    return new TableMeta(SHORT, key(), options);
  }

  private static List<PrimaryKeySchema> key() {
    return List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
  }

  static List<PrimaryKeyValue> splits() {
    List<PrimaryKeyValue> splits = new ArrayList<>();
    for (int i = 1; i < PARTITIONS; i++) {
      splits.add(PrimaryKeyValue.fromLong((long) i * KEYS / PARTITIONS));
    }
    return splits;
  }

  /** The change that makes a version. */
  static RowChange change(int key, int version) {
    PrimaryKey id = PrimaryKey.builder().add("id", (long) key).build();
    if (WitnessCore.isDelete(version)) {
      return new RowDeleteChange(id);
    }
    ColumnValue value = ColumnValue.fromLong(version);
    if (WitnessCore.isUpdate(version)) {
      return new RowUpdateChange(
          id,
          List.of(
              new ColumnUpdate.Put(VERSION, value),
              new ColumnUpdate.Delete(FILLING),
              new ColumnUpdate.Put("updated", value)));
    }
    String filling = "x".repeat(20 + version * 37 % 200);
    return new RowPutChange(
        id,
        List.of(new Column(VERSION, value), new Column(FILLING, ColumnValue.fromString(filling))));
  }

  static int key(PrimaryKey key) {
    return (int) key.getPrimaryKeyColumn(0).getValue().asLong();
  }

  static String versionColumn() {
    return VERSION;
  }
}
