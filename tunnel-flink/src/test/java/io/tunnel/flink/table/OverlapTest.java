package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.flink.source.split.TunnelSplitSerializer;
import io.tunnel.flink.source.split.TunnelSplitState;
import io.tunnel.flink.table.row.Field;
import io.tunnel.flink.table.row.FieldKind;
import io.tunnel.flink.table.row.KeyText;
import io.tunnel.flink.table.row.TableLayout;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.PartitionRecords.SeenIn;
import io.tunnel.sdk.processor.StreamRecord;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows and then changes of a partition that is written to all the while, through the split's state
 * and the fold: a seed decides when something is written, when a page of rows is read and how stale
 * it is, when changes are read, and when the job goes back to a checkpoint. Every image that is
 * shown is one that the table had, none older than the one before, and in the end it is the table.
 */
@Tag("proof-flink")
class OverlapTest {

  private static final int PARTITION = 7;
  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING));
  private static final VarCharType TEXT = new VarCharType(VarCharType.MAX_LENGTH);
  private static final RowType KEPT = RowType.of(TEXT, new BigIntType(), TEXT);

  /** What the table was at each position: of each key its columns n and t. */
  private final List<TreeMap<String, List<Object>>> history =
      new ArrayList<>(List.of(new TreeMap<>()));

  private final List<RowChange> changes = new ArrayList<>();

  private static PrimaryKey key(String id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static Column n(long value) {
    return new Column("n", ColumnValue.fromLong(value));
  }

  private static Column t(String value) {
    return new Column("t", ColumnValue.fromString(value));
  }

  private static ColumnUpdate set(String value) {
    return new ColumnUpdate.Put("t", ColumnValue.fromString(value));
  }

  private void write(RowChange change, String id, List<Object> row) {
    TreeMap<String, List<Object>> next = new TreeMap<>(history.get(history.size() - 1));
    if (row.isEmpty()) {
      next.remove(id);
    } else {
      next.put(id, row);
    }
    changes.add(change);
    history.add(next);
  }

  /** Rows that only updates have made have no column n, so these are for tables that allow that. */
  private void write(Random random, boolean makesRowsByUpdates) {
    String id = "k" + random.nextInt(8);
    List<Object> old = history.get(history.size() - 1).get(id);
    long value = changes.size();
    int what = random.nextInt(4);
    if (what == 0) {
      write(new RowDeleteChange(key(id)), id, List.of());
    } else if (what == 1 || (old == null && !makesRowsByUpdates)) {
      List<Column> columns = List.of(n(value), t("put" + value));
      write(new RowPutChange(key(id), columns), id, Arrays.asList(value, "put" + value));
    } else {
      List<ColumnUpdate> columns = List.of(set("set" + value));
      List<Object> row = Arrays.asList(old == null ? null : old.get(0), "set" + value);
      write(new RowUpdateChange(key(id), columns), id, row);
    }
  }

  private int last() {
    return changes.size();
  }

  private static StreamRecord record(RowChange change, long position) {
    BatchBuilder rows = new BatchBuilder(SCHEMA, 256);
    assertThat(rows.add(change)).isTrue();
    byte[] bytes = rows.build(PARTITION, position, 1);
    ChangeBatch batch = ChangeBatch.parse(bytes, 0, bytes.length);
    RowCursor row = batch.rows();
    assertThat(row.next()).isTrue();
    return new StreamRecord(batch, row.rowOffset(), position, SCHEMA);
  }

  private static StreamRecord row(String id, List<Object> row, long position) {
    List<Column> columns = new ArrayList<>();
    if (row.get(0) != null) {
      columns.add(n((Long) row.get(0)));
    }
    columns.add(t((String) row.get(1)));
    return record(new RowPutChange(key(id), columns), position);
  }

  /** A reading job, and the rows that it has shown. */
  private final class Job {
    private final TableLayout layout;
    private final ChangeRows schema;
    private final Random random;
    private TunnelSplitState split;
    private KeyedOneInputStreamOperatorTestHarness<String, RowData, RowData> fold;
    private Map<String, List<Object>> shown = new HashMap<>();

    /** Of each key, the position at which the table had what is shown. */
    private Map<String, Integer> shownAt = new HashMap<>();

    private int told;
    private String lastKey = "";
    private long rows;
    private long rowsAt;
    private boolean hasRowsEnded;

    Job(Random random, boolean isNullable, TunnelSplit first) throws Exception {
      this.random = random;
      this.layout =
          new TableLayout(
              List.of(
                  new Field("id", FieldKind.STRING, false),
                  new Field("n", FieldKind.BIGINT, isNullable),
                  new Field("t", FieldKind.STRING, true)),
              List.of(0));
      this.schema =
          new ChangeRows(
              "t",
              layout,
              layout,
              List.of(),
              ChangeRows.Style.FOLD,
              InternalTypeInfo.of(
                  RowType.of(
                      new VarBinaryType(VarBinaryType.MAX_LENGTH), TEXT, new BigIntType(), TEXT)));
      schema.open(null);
      rowsAt = first.position();
      begin(first, Optional.empty());
    }

    private void begin(TunnelSplit from, Optional<OperatorSubtaskState> state) throws Exception {
      split = new TunnelSplitState(from);
      ChangeFold folding =
          new ChangeFold(
              new ChangeFold.Shape(layout, KEPT, List.of(0, 1, 2)),
              InternalTypeInfo.of(KEPT),
              Duration.ZERO);
      fold =
          new KeyedOneInputStreamOperatorTestHarness<>(
              new KeyedProcessOperator<>(folding), new KeyText(layout, 1), Types.STRING);
      fold.setup(
          InternalTypeInfo.of(KEPT)
              .createSerializer(fold.getExecutionConfig().getSerializerConfig()));
      if (state.isPresent()) {
        fold.initializeState(state.get());
      }
      fold.open();
      told = 0;
    }

    /** Takes a checkpoint, goes on for a while, and back to it. */
    void failAndRestore(int steps) throws Exception {
      TunnelSplitSerializer serializer = new TunnelSplitSerializer();
      byte[] bytes = serializer.serialize(split.toSplit());
      OperatorSubtaskState state = fold.snapshot(1, 1);
      Map<String, List<Object>> formerShown = new HashMap<>(shown);
      Map<String, Integer> formerAt = new HashMap<>(shownAt);
      String formerKey = lastKey;
      long formerRows = rows;
      boolean hadEnded = hasRowsEnded;
      for (int i = 0; i < steps; i++) {
        read();
      }
      fold.close();
      shown = formerShown;
      shownAt = formerAt;
      lastKey = formerKey;
      rows = formerRows;
      hasRowsEnded = hadEnded;
      begin(serializer.deserialize(serializer.getVersion(), bytes), Optional.of(state));
    }

    /** A page of rows, or changes. */
    void read() throws Exception {
      if (!hasRowsEnded) {
        page();
        return;
      }
      for (int left = random.nextInt(4); left > 0 && split.position() < last(); left--) {
        int next = (int) split.position() + 1;
        StreamRecord change = record(changes.get(next - 1), next);
        if (!split.has(change)) {
          emit(change);
        }
        split.emitted(change, ChannelType.Stream, SeenIn.NOTHING);
      }
    }

    private void page() throws Exception {
      if (random.nextInt(3) == 0) {
        rowsAt += random.nextInt((int) (last() - rowsAt) + 1);
      }
      Map<String, List<Object>> behind = history.get((int) rowsAt).tailMap(lastKey, false);
      if (behind.isEmpty()) {
        split.rowsEnded(at(rowsAt));
        hasRowsEnded = true;
        return;
      }
      int size = 1 + random.nextInt(3);
      for (Map.Entry<String, List<Object>> each : behind.entrySet()) {
        if (size-- == 0) {
          break;
        }
        rows++;
        StreamRecord row = row(each.getKey(), each.getValue(), rows);
        emit(row);
        split.emitted(row, ChannelType.BaseData, at(rowsAt));
        lastKey = each.getKey();
      }
    }

    private static SeenIn at(long rowsAt) {
      return new SeenIn(Optional.of(rowsAt), Optional.empty());
    }

    private void emit(StreamRecord record) throws Exception {
      List<RowData> made = new ArrayList<>();
      schema.deserialize(
          record,
          split.isWhole(),
          new Collector<>() {
            @Override
            public void collect(RowData row) {
              made.add(row);
            }

            @Override
            public void close() {}
          });
      for (RowData row : made) {
        fold.processElement(row, 0);
      }
      List<RowData> out = new ArrayList<>(fold.extractOutputValues());
      out.subList(told, out.size()).forEach(row -> show((GenericRowData) row));
      told = out.size();
    }

    private void show(GenericRowData row) {
      String id = row.getField(0).toString();
      Object t = row.getField(2);
      List<Object> values = Arrays.asList(row.getField(1), t == null ? null : t.toString());
      if (row.getRowKind() == RowKind.UPDATE_BEFORE || row.getRowKind() == RowKind.DELETE) {
        assertThat(shown.remove(id)).isEqualTo(values);
      } else {
        assertThat(shown.put(id, values)).isNull();
      }
      if (row.getRowKind() != RowKind.UPDATE_BEFORE) {
        shownAt.merge(id, positionOf(id, shownAt.getOrDefault(id, 0)), Math::max);
      }
    }

    /** The first position, not before one, at which the table had what is shown of a key. */
    private int positionOf(String id, int from) {
      for (int position = from; position <= last(); position++) {
        List<Object> had = history.get(position).get(id);
        if (had == null ? !shown.containsKey(id) : had.equals(shown.get(id))) {
          return position;
        }
      }
      throw new AssertionError(
          "the table never had " + shown.get(id) + " of row " + id + " behind position " + from);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void whatever_is_written_meanwhile_every_image_was_one_of_the_tables(long seed) throws Exception {
    for (int round = 0; round < 40; round++) {
      runOnce(1_000 * seed + round);
    }
  }

  private void runOnce(long seed) throws Exception {
    Random random = new Random(seed);
    boolean isNullable = random.nextBoolean();
    changes.clear();
    history.subList(1, history.size()).clear();
    for (int left = random.nextInt(20); left > 0; left--) {
      write(random, isNullable);
    }
    Job job = new Job(random, isNullable, TunnelSplit.rowsAndChanges(PARTITION, last()));
    try {
      for (int step = 0; step < 120; step++) {
        switch (random.nextInt(10)) {
          case 0, 1, 2, 3, 4 -> write(random, isNullable);
          case 5 -> job.failAndRestore(random.nextInt(4));
          default -> job.read();
        }
      }
      while (!job.hasRowsEnded || job.split.position() < last()) {
        job.read();
      }
      assertThat(job.shown).as("seed %d", seed).isEqualTo(history.get(last()));
    } catch (RuntimeException | AssertionError | IOException e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    } finally {
      job.fold.close();
    }
  }

  /** The row was updated and deleted before its turn to be read came. */
  @Test
  void an_update_and_a_delete_in_front_of_the_rows_show_nothing() throws Exception {
    write(new RowPutChange(key("a"), List.of(n(1), t("x"))), "a", List.of(1L, "x"));
    write(new RowPutChange(key("b"), List.of(n(2), t("x"))), "b", List.of(2L, "x"));
    Job job = new Job(new Random(1), false, TunnelSplit.rowsAndChanges(PARTITION, last()));
    write(new RowUpdateChange(key("a"), List.of(set("y"))), "a", List.of(1L, "y"));
    write(new RowDeleteChange(key("a")), "a", List.of());
    write(new RowUpdateChange(key("b"), List.of(set("y"))), "b", List.of(2L, "y"));
    job.rowsAt = last();
    while (!job.hasRowsEnded || job.split.position() < last()) {
      job.read();
    }
    assertThat(job.shown).isEqualTo(Map.of("b", List.of(2L, "y")));
    assertThat(job.told).as("an INSERT, as the row was read").isEqualTo(1);
    job.fold.close();
  }
}
