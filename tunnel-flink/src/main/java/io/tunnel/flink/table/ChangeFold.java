package io.tunnel.flink.table;

import io.tunnel.flink.table.row.Field;
import io.tunnel.flink.table.row.TableLayout;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * Makes a whole changelog from the changes of each key: the row before and after each change, also
 * for updates of single columns. The state is the last shown row. Without a state, an update shows
 * a row only if the whole row is known: the scan sees the whole history of the row and forgets no
 * rows, or the update has all columns.
 */
final class ChangeFold extends KeyedProcessFunction<String, RowData, RowData> {

  private static final long serialVersionUID = 1L;

  /**
   * The layouts of incoming, stored and outgoing rows.
   *
   * @param layout the stored fields
   * @param kept the type of the state: the stored fields, then metadata
   * @param shown the indexes of the shown fields of the state, in order
   */
  record Shape(TableLayout layout, RowType kept, List<Integer> shown) implements Serializable {
    private static final long serialVersionUID = 1L;

    Shape {
      Objects.requireNonNull(layout, "layout");
      Objects.requireNonNull(kept, "kept");
      shown = List.copyOf(shown);
    }
  }

  private final Shape shape;
  private final TypeInformation<RowData> keptType;

  private final Duration idleMax;
  private transient ValueState<RowData> shownLast;
  private transient List<RowData.FieldGetter> keptFields;
  private transient List<RowData.FieldGetter> changeFields;

  /**
   * A fold.
   *
   * @param idleMax how long the state of an unchanged key is kept; zero for ever
   */
  ChangeFold(Shape shape, TypeInformation<RowData> keptType, Duration idleMax) {
    this.shape = shape;
    this.keptType = keptType;
    this.idleMax = idleMax;
  }

  @Override
  public void open(OpenContext opening) {
    ValueStateDescriptor<RowData> descriptor = new ValueStateDescriptor<>("row", keptType);
    if (!idleMax.isZero()) {
      descriptor.enableTimeToLive(StateTtlConfig.newBuilder(idleMax).build());
    }
    shownLast = getRuntimeContext().getState(descriptor);
    keptFields = new ArrayList<>();
    changeFields = new ArrayList<>();
    List<LogicalType> types = shape.kept().getChildren();
    int before = ChangeRows.fieldsBefore(ChangeRows.Style.FOLD);
    for (int i = 0; i < types.size(); i++) {
      keptFields.add(RowData.createFieldGetter(types.get(i).copy(true), i));
      changeFields.add(RowData.createFieldGetter(types.get(i).copy(true), before + i));
    }
  }

  @Override
  public void processElement(RowData change, Context moment, Collector<RowData> out)
      throws Exception {
    RowData last = shownLast.value();
    Object[] old = last == null ? null : read(last, keptFields);
    switch (change.getRowKind()) {
      case INSERT -> show(old, read(change, changeFields), out);
      case UPDATE_AFTER -> show(old, updated(old, change, moment.getCurrentKey()), out);
      case DELETE -> {
        if (old != null) {
          shownLast.clear();
          out.collect(shown(RowKind.DELETE, old));
        }
      }
      case UPDATE_BEFORE -> throw new IllegalStateException("a change that is a before image");
    }
  }

  private static Object[] read(RowData row, List<RowData.FieldGetter> fields) {
    Object[] values = new Object[fields.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = fields.get(i).getFieldOrNull(row);
    }
    return values;
  }

  private Object[] updated(Object[] old, RowData change, String key) {
    Touched touched = new Touched(shape.layout().fields().size(), change.getBinary(0));
    if (old == null) {
      requireKnown(touched, key);
    }
    Object[] values = read(change, changeFields);
    for (int i = 0; i < shape.layout().fields().size(); i++) {
      if (!touched.has(i) && !shape.layout().isKey(i)) {
        values[i] = old == null ? null : old[i];
      }
      Field field = shape.layout().fields().get(i);
      if (values[i] == null && !field.isNullable()) {
        throw new RowMismatchException(
            "row " + key + " has no column '" + field.name() + "', which is declared NOT NULL");
      }
    }
    return values;
  }

  /** Refuses an update of a row whose further columns are unknown. */
  private void requireKnown(Touched touched, String key) {
    boolean hasAll = true;
    for (int i = 0; i < shape.layout().fields().size(); i++) {
      hasAll &= touched.has(i) || shape.layout().isKey(i);
    }
    if (hasAll || (touched.isWhole() && idleMax.isZero())) {
      return;
    }
    throw new RowMismatchException(
        "an UPDATE of single columns of row "
            + key
            + ", whose other columns are not known: "
            + (touched.isWhole()
                ? "'table.exec.state.ttl' has the scan forget rows; without it none is"
                : "the scan began behind older changes, or these are not kept any more;"
                    + " 'scan.mode' = 'base-and-stream' reads the rows first")
            + ", 'scan.changelog' = 'append' shows the change as it is");
  }

  private void show(Object[] old, Object[] values, Collector<RowData> out) throws Exception {
    if (Objects.deepEquals(old, values)) {
      return;
    }
    shownLast.update(GenericRowData.of(values));
    if (old == null) {
      out.collect(shown(RowKind.INSERT, values));
    } else {
      out.collect(shown(RowKind.UPDATE_BEFORE, old));
      out.collect(shown(RowKind.UPDATE_AFTER, values));
    }
  }

  private RowData shown(RowKind kind, Object[] values) {
    GenericRowData row = new GenericRowData(kind, shape.shown().size());
    for (int i = 0; i < shape.shown().size(); i++) {
      row.setField(i, values[shape.shown().get(i)]);
    }
    return row;
  }
}
