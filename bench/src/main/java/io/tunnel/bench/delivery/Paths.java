package io.tunnel.bench.delivery;

import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.Watch;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.sdk.watch.WatchedKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table of one partition whose keys are paths, as those of a configuration are. */
record Paths(FigureSetup<TunnelServerChild> setup, TableInfo table) {

  private static final int BATCH_ROWS = 500;
  private static final String TEXT = "a value that a configuration might have, of a hundred bytes;";

  static Paths create(FigureSetup<TunnelServerChild> setup) {
    List<PrimaryKeySchema> key = List.of(new PrimaryKeySchema("path", PrimaryKeyType.STRING));
    TableMeta meta = new TableMeta("paths", key, new TableOptions(Durability.OS));
    return new Paths(setup, setup.tables().createTable(meta, List.of()));
  }

  String name() {
    return table.meta().name();
  }

  static PrimaryKey path(String below, int number) {
    String path = String.format(Locale.ROOT, "/%s/service-%07d/config", below, number);
    return PrimaryKey.builder().add("path", path).build();
  }

  static WatchedKeys key(String below, int number) {
    return WatchedKeys.key(path(below, number));
  }

  Watch watch(WatchedKeys keys) {
    return setup.tables().watch(name(), keys, WatchConfig.FROM_NOW);
  }

  /** Puts {@code rows} rows in batches of 500; their keys are {@code different} in turn. */
  void write(String below, int rows, int different) {
    for (int from = 0; from < rows; from += BATCH_ROWS) {
      List<RowChange> batch = new ArrayList<>(BATCH_ROWS);
      for (int i = from; i < Math.min(rows, from + BATCH_ROWS); i++) {
        batch.add(
            new RowPutChange(
                path(below, i % different),
                List.of(
                    new Column("value", ColumnValue.fromString(TEXT)),
                    new Column("number", ColumnValue.fromLong(i)))));
      }
      setup.tables().write(name(), batch);
    }
  }

  /** Takes what watches have until they have had {@code expected} changes in all. */
  void take(List<Watch> watches, long expected) throws InterruptedException {
    long taken = 0;
    while (taken < expected) {
      long before = taken;
      for (Watch watch : watches) {
        taken += watch.poll(Duration.ZERO).size();
      }
      if (taken == before) {
        setup.pause(5);
      }
    }
    if (taken > expected) {
      throw new IllegalStateException(taken + " changes came, and " + expected + " match");
    }
  }
}
