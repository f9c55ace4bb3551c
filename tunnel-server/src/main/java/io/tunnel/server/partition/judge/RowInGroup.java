package io.tunnel.server.partition.judge;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.IncrementCore;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.judge.Judge;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ObjIntConsumer;

/** A row that a group changes: what its last PUT or DELETE leaves, and the updates since. */
final class RowInGroup {

  private final Below below;
  private final RowSize size;
  private final List<RowPlace> updates = new ArrayList<>();

  /** Updates that {@link #size} has; the others are looked at when one has to be evaluated. */
  private int counted;

  /** The columns that rows of the group set or removed; grows when a condition asks. */
  private final Map<String, ColumnPlace> changed = new HashMap<>();

  /** How many of the changes {@link #changed} has. */
  private int laid;

  private boolean exists;

  RowInGroup(Below below, boolean exists) {
    this.below = below;
    this.size = new RowSize(below::sizes);
    this.exists = exists;
  }

  boolean exists() {
    return exists;
  }

  /** The row now, which later updates of this row leave as it is. */
  RowInGroup copy() {
    RowInGroup copy = new RowInGroup(below, exists);
    copy.updates.addAll(updates);
    return copy;
  }

  void update(RowCursor row) {
    updates.add(RowPlace.of(row));
    exists = true;
  }

  boolean updateIfLegal(RowCursor row) {
    for (; counted < updates.size(); counted++) {
      size.update(updates.get(counted).row());
    }
    boolean isLegal = size.updateIfLegal(row);
    if (isLegal) {
      update(row);
      counted++;
    }
    return isLegal;
  }

  void give(Judge judge) {
    layAll();
    below.give(judge);
    for (String name : judge.rowColumns()) {
      ColumnPlace column = changed.get(name);
      if (column != null) {
        judge.column(name, column.array(), column.from(), column.end());
      }
    }
  }

  /** What an increment finds now. */
  IncrementCore.Found found(String name) {
    return column(name)
        .map(column -> IncrementCore.Found.at(column.array(), column.from(), column.end()))
        .orElse(IncrementCore.Found.MISSING);
  }

  /** Type and value of a column now. */
  Optional<Bytes> value(String name) {
    return column(name)
        .filter(at -> !ColumnCursor.isRemoval(at.array()[at.from()]))
        .map(at -> Bytes.copyOf(at.array(), at.from(), at.end() - at.from()));
  }

  /** A column now, or that it was removed; empty for a column that never was. */
  private Optional<ColumnPlace> column(String name) {
    layAll();
    return Optional.ofNullable(changed.get(name)).or(() -> below.stored(name));
  }

  /** Looks at each change once, however many conditions and increments ask. */
  private void layAll() {
    if (laid == 0) {
      below.set().ifPresent(this::lay);
    }
    for (; laid < updates.size(); laid++) {
      lay(updates.get(laid));
    }
  }

  private void lay(RowPlace change) {
    ColumnCursor columns = change.row().columns();
    while (columns.next()) {
      changed.put(
          change.batch().name(columns.nameIndex()),
          new ColumnPlace(change.batch().array(), columns.typeOffset(), columns.columnEnd()));
    }
  }

  /** The columns of a row before the updates of the group. */
  interface Below {
    /** Tells the name of each, and the bytes of its type and value. */
    void sizes(ObjIntConsumer<String> column);

    /** Gives those that are stored, and that the condition names, to its evaluator. */
    void give(Judge judge);

    /** Type and value of a column that is stored. */
    default Optional<ColumnPlace> stored(String name) {
      return Optional.empty();
    }

    /** The row of the group that set them, if one did. */
    default Optional<RowPlace> set() {
      return Optional.empty();
    }
  }

  /** Nothing, as a DELETE leaves it. */
  record NothingBelow() implements Below {
    @Override
    public void sizes(ObjIntConsumer<String> column) {}

    @Override
    public void give(Judge judge) {}
  }

  /** Where a row stands; what a PUT leaves is the columns of its row. */
  record RowPlace(ChangeBatch batch, int rowOffset) implements Below {
    @Override
    public Optional<RowPlace> set() {
      return Optional.of(this);
    }

    @Override
    public void sizes(ObjIntConsumer<String> column) {
      RowSize.columns(row(), column);
    }

    @Override
    public void give(Judge judge) {}

    static RowPlace of(RowCursor row) {
      return new RowPlace(row.batch(), row.rowOffset());
    }

    RowCursor row() {
      RowCursor row = batch.rows();
      row.moveTo(rowOffset);
      return row;
    }
  }
}
