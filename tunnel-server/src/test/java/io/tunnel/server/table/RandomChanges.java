package io.tunnel.server.table;

import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Changes of all kinds to few rows, so changes of a row meet; with few or very many column names.
 */
public final class RandomChanges {

  private final Random random;
  private final int names;

  /** Changes whose columns have {@code names} different names. */
  public RandomChanges(Random random, int names) {
    this.random = random;
    this.names = names;
  }

  /** Some changes. */
  public List<RowChange> changes(boolean withUpdates) {
    List<RowChange> changes = new ArrayList<>();
    for (int i = 1 + random.nextInt(12); i > 0; i--) {
      changes.add(change(withUpdates));
    }
    return changes;
  }

  private RowChange change(boolean withUpdates) {
    String key = "k" + random.nextInt(40);
    return switch (random.nextInt(withUpdates ? 5 : 3)) {
      case 0, 1 ->
          new RowPutChange(
              TestRows.key(key), names(0).stream().map(name -> new Column(name, value())).toList());
      case 2 -> new RowDeleteChange(TestRows.key(key));
      default ->
          new RowUpdateChange(TestRows.key(key), names(1).stream().map(this::update).toList());
    };
  }

  private ColumnUpdate update(String name) {
    return random.nextInt(3) == 0
        ? new ColumnUpdate.Delete(name)
        : new ColumnUpdate.Put(name, value());
  }

  private Set<String> names(int min) {
    Set<String> chosen = new LinkedHashSet<>();
    for (int i = min + random.nextInt(4); i > 0; i--) {
      chosen.add("column" + random.nextInt(names));
    }
    return chosen;
  }

  private ColumnValue value() {
    return switch (random.nextInt(5)) {
      case 0 -> ColumnValue.fromLong(random.nextLong());
      case 1 -> ColumnValue.fromDouble(random.nextDouble());
      case 2 -> ColumnValue.fromBoolean(random.nextBoolean());
      case 3 -> ColumnValue.fromString("é".repeat(random.nextInt(100)));
      default -> new BinaryValue(Bytes.copyOf(new byte[random.nextInt(20) == 0 ? 50_000 : 3]));
    };
  }
}
