package io.tunnel.server.table;

import io.tunnel.model.Limits;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Writes whose names weigh more than their values: few or many names, short or as long as they may
 * be, few or many of them in each row, one row or many, rows alike or each with names of its own.
 */
final class RandomShapes {

  private final Random random;

  /** Names that each row may have now: a server rejects updates that give a row too many. */
  private final Map<String, Set<String>> namesByKey = new HashMap<>();

  /** Writes to one partition. */
  RandomShapes(Random random) {
    this.random = random;
  }

  /** Rows of a write, few enough for a batch. */
  List<RowChange> rows(int rowsMax) {
    int names = pick(1, 3, 100, 1_024, Limits.BATCH_NAMES_MAX);
    int nameBytes = pick(6, 20, Limits.COLUMN_NAME_BYTES_MAX);
    int columns = Math.min(names, pick(1, 3, 127, Limits.ROW_COLUMNS_MAX));
    int rows = Math.min(rowsMax, pick(1, 2, 50, 1_000));
    int kind = random.nextInt(4);
    boolean isDense = random.nextBoolean();
    String pad = random.nextInt(3) == 0 ? "" : Integer.toString(random.nextInt(4));
    List<RowChange> made = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      Set<String> used = new LinkedHashSet<>();
      while (used.size() < columns) {
        int name = isDense ? used.size() : random.nextInt(names);
        used.add(name(pad + "n" + name, nameBytes));
      }
      made.add(change(kind, "k" + random.nextInt(4 * rows), used));
    }
    return made;
  }

  private int pick(int... values) {
    return values[random.nextInt(values.length)];
  }

  private static String name(String start, int bytes) {
    return start.length() >= bytes ? start : start + "x".repeat(bytes - start.length());
  }

  private RowChange change(int kind, String key, Set<String> names) {
    Set<String> has = namesByKey.computeIfAbsent(key, id -> new HashSet<>());
    if (random.nextInt(20) == 0) {
      has.clear();
      return new RowDeleteChange(TestRows.key(key));
    }
    if (kind > 1) {
      has.clear();
    }
    has.addAll(names);
    if (has.size() > Limits.ROW_COLUMNS_MAX) {
      has.retainAll(names);
      return change(2, key, names);
    }
    return switch (kind) {
      case 0 -> new RowUpdateChange(TestRows.key(key), updates(names, true));
      case 1 -> new RowUpdateChange(TestRows.key(key), updates(names, false));
      default ->
          new RowPutChange(TestRows.key(key), names.stream().map(RandomShapes::column).toList());
    };
  }

  private static List<ColumnUpdate> updates(Set<String> names, boolean removes) {
    return names.stream()
        .<ColumnUpdate>map(
            name ->
                removes
                    ? new ColumnUpdate.Delete(name)
                    : new ColumnUpdate.Put(name, ColumnValue.fromBoolean(true)))
        .toList();
  }

  private static Column column(String name) {
    return new Column(name, ColumnValue.fromBoolean(true));
  }
}
