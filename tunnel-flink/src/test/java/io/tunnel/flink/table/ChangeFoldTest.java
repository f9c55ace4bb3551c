package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.flink.table.row.Field;
import io.tunnel.flink.table.row.FieldKind;
import io.tunnel.flink.table.row.KeyText;
import io.tunnel.flink.table.row.TableLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fold in an operator of its own, also when its state is taken up by another. */
@SuppressWarnings("try") // Flink's harness may be interrupted when it is closed.
class ChangeFoldTest {

  private static final VarCharType TEXT = new VarCharType(VarCharType.MAX_LENGTH);
  private static final RowType KEPT = RowType.of(TEXT, new BigIntType(), TEXT);

  private static final TableLayout LAYOUT =
      new TableLayout(
          List.of(
              new Field("id", FieldKind.STRING, false),
              new Field("n", FieldKind.BIGINT, true),
              new Field("t", FieldKind.STRING, true)),
          List.of(0));

  private KeyedOneInputStreamOperatorTestHarness<String, RowData, RowData> fold() throws Exception {
    return fold(Duration.ZERO);
  }

  private KeyedOneInputStreamOperatorTestHarness<String, RowData, RowData> fold(Duration idleMax)
      throws Exception {
    ChangeFold fold =
        new ChangeFold(
            new ChangeFold.Shape(LAYOUT, KEPT, List.of(0, 1, 2)),
            InternalTypeInfo.of(KEPT),
            idleMax);
    var harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(fold), new KeyText(LAYOUT, 1), Types.STRING);
    harness.setup(
        InternalTypeInfo.of(KEPT)
            .createSerializer(harness.getExecutionConfig().getSerializerConfig()));
    return harness;
  }

  private static RowData change(RowKind kind, int touched, Object... fields) {
    GenericRowData row = new GenericRowData(kind, fields.length + 1);
    if (kind == RowKind.UPDATE_AFTER) {
      row.setField(0, new byte[] {(byte) touched});
    }
    for (int i = 0; i < fields.length; i++) {
      row.setField(i + 1, fields[i]);
    }
    return row;
  }

  /** Of three fields, behind whose bits is that all is seen. */
  private static final int WHOLE = 1 << 3;

  private static RowData random(Random random) {
    StringData id = StringData.fromString("k" + random.nextInt(4));
    Long n = random.nextInt(4) == 0 ? null : (Long) (long) random.nextInt(3);
    StringData t = random.nextInt(4) == 0 ? null : StringData.fromString("t" + random.nextInt(3));
    return switch (random.nextInt(5)) {
      case 0 -> change(RowKind.DELETE, 0, id, null, null);
      case 1 -> change(RowKind.UPDATE_AFTER, WHOLE | 1 << 1, id, n, null);
      case 2 -> change(RowKind.UPDATE_AFTER, WHOLE | 1 << 2, id, null, t);
      default -> change(RowKind.INSERT, 0, id, n, t);
    };
  }

  /** What a table is after a change, as the service has it. */
  private static void apply(Map<Object, List<Object>> table, RowData change) {
    GenericRowData row = (GenericRowData) change;
    Object id = row.getField(1);
    List<Object> old = table.getOrDefault(id, Arrays.asList(null, null));
    switch (row.getRowKind()) {
      case DELETE -> table.remove(id);
      case INSERT -> table.put(id, Arrays.asList(row.getField(2), row.getField(3)));
      default -> {
        int touched = ((byte[]) row.getField(0))[0];
        table.put(
            id,
            Arrays.asList(
                (touched & 2) != 0 ? row.getField(2) : old.get(0),
                (touched & 4) != 0 ? row.getField(3) : old.get(1)));
      }
    }
  }

  /** A changelog removes exactly the rows that it has added. */
  private static void show(Map<Object, List<Object>> shown, RowData row) {
    GenericRowData read = (GenericRowData) row;
    Object id = read.getField(0);
    List<Object> values = Arrays.asList(read.getField(1), read.getField(2));
    if (row.getRowKind() == RowKind.INSERT || row.getRowKind() == RowKind.UPDATE_AFTER) {
      assertThat(shown.put(id, values)).isNull();
    } else {
      assertThat(shown.remove(id)).isEqualTo(values);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void what_is_shown_is_the_table_after_every_change_and_across_restores(long seed)
      throws Exception {
    Random random = new Random(seed);
    Map<Object, List<Object>> table = new HashMap<>();
    Map<Object, List<Object>> shown = new HashMap<>();
    OperatorSubtaskState state = null;
    for (int run = 0; run < 5; run++) {
      try (var fold = fold()) {
        if (state != null) {
          fold.initializeState(state);
        }
        fold.open();
        int told = 0;
        for (int i = 0; i < 100; i++) {
          RowData change = random(random);
          apply(table, change);
          fold.processElement(change, 0);
          List<RowData> out = new ArrayList<>(fold.extractOutputValues());
          out.subList(told, out.size()).forEach(row -> show(shown, row));
          told = out.size();
          assertThat(shown).as("seed %d, run %d, change %d", seed, run, i).isEqualTo(table);
        }
        state = fold.snapshot(run, 0);
      }
    }
  }

  @Test
  void what_changes_nothing_is_not_shown() throws Exception {
    try (var fold = fold()) {
      fold.open();
      RowData put = change(RowKind.INSERT, 0, StringData.fromString("a"), 1L, null);
      fold.processElement(put, 0);
      fold.processElement(put, 0);
      fold.processElement(change(RowKind.DELETE, 0, StringData.fromString("b"), null, null), 0);
      assertThat(fold.extractOutputValues()).hasSize(1);
    }
  }

  private static RowData update(int touched, Long n, String t) {
    return change(
        RowKind.UPDATE_AFTER,
        touched,
        StringData.fromString("a"),
        n,
        t == null ? null : StringData.fromString(t));
  }

  private void assertShown(Duration idleMax, RowData update) throws Exception {
    try (var fold = fold(idleMax)) {
      fold.open();
      fold.processElement(update, 0);
      assertThat(Objects.requireNonNull(fold.extractOutputValues().get(0)).getRowKind())
          .isEqualTo(RowKind.INSERT);
    }
  }

  private void assertRefused(Duration idleMax, RowData update, String reason) throws Exception {
    try (var fold = fold(idleMax)) {
      fold.open();
      assertThatThrownBy(() -> fold.processElement(update, 0))
          .isInstanceOf(RowMismatchException.class)
          .hasMessageContaining("a)")
          .hasMessageContaining(reason)
          .hasMessageContaining("'append'");
    }
  }

  @Test
  void an_update_of_a_row_that_was_never_seen_shows_it_where_it_is_certain_what_it_is()
      throws Exception {
    assertShown(Duration.ZERO, update(WHOLE | 2, 1L, null));
    assertRefused(Duration.ZERO, update(2, 1L, null), "'base-and-stream'");
    assertRefused(Duration.ofHours(1), update(WHOLE | 2, 1L, null), "'table.exec.state.ttl'");
    assertShown(Duration.ZERO, update(2 | 4, 1L, "x"));
    assertShown(Duration.ofHours(1), update(2 | 4, 1L, null));
  }
}
