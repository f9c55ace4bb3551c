package io.tunnel.server.partition.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.Increments;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.WriteResult.Rejection;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Increments and atomic batches, on top of the rows of the store and of the rows before them in
 * their group.
 */
final class IncrementsInGroupTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING));
  private static final ConditionPlace PLACE = ConditionPlace.ofRows(SCHEMA);
  private static final List<String> NAMES = List.of("a", "b", "c");

  private final ModelRows stored = new ModelRows();
  private final ConditionCore core = new ConditionCore(stored);

  static LongStream seeds() {
    return LongStream.range(0, 500);
  }

  /** The model judges and adds by objects and large numbers; the store folds what is logged. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void each_increment_adds_to_what_all_rows_before_it_left(long seed) {
    Random random = new Random(seed);
    Map<String, Map<String, ColumnValue>> model = new TreeMap<>();
    for (int group = 0; group < 6; group++) {
      List<ChangeBatch> logged = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        boolean isJudged = random.nextInt(4) > 0;
        boolean isAtomic = random.nextInt(3) == 0;
        List<RowChange> changes = new ArrayList<>();
        for (int row = random.nextInt(6); row >= 0; row--) {
          changes.add(change(random, isJudged));
        }
        List<Rejection> refused = apply(changes, isAtomic, model);
        ChangeBatch sent = batch(changes, isAtomic);
        byte[] bytes = sent.array().clone();
        ConditionCore.Judged judged = core.judge(sent, PLACE, isJudged);
        assertThat(judged.rejections()).isEqualTo(refused);
        assertThat(sent.array()).as("what the writer sent").isEqualTo(bytes);
        judged.accepted().ifPresent(logged::add);
        judged
            .accepted()
            .ifPresent(accepted -> assertThat(accepted.isAtomic()).isEqualTo(isAtomic));
      }
      core.clear();
      logged.forEach(IncrementsInGroupTest::requireLog);
      logged.forEach(stored::apply);
      requireStored(model);
    }
  }

  private static RowChange change(Random random, boolean isJudged) {
    PrimaryKey key = key("k" + random.nextInt(3));
    RowChange change =
        switch (random.nextInt(6)) {
          case 0 -> new RowDeleteChange(key);
          case 1 -> new RowPutChange(key, columns(random));
          default -> new RowUpdateChange(key, updates(random, isJudged));
        };
    return isJudged && random.nextInt(3) == 0
        ? change.onlyIf(Condition.parse(random.nextBoolean() ? "a < 3" : "exists b"))
        : change;
  }

  private static List<Column> columns(Random random) {
    List<Column> columns = new ArrayList<>();
    for (String name : NAMES) {
      if (random.nextInt(3) == 0) {
        columns.add(new Column(name, value(random)));
      }
    }
    return columns;
  }

  private static ColumnValue value(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> ColumnValue.fromString("text");
      case 1 -> ColumnValue.fromLong(Long.MAX_VALUE - random.nextInt(3));
      case 2 -> ColumnValue.fromDouble(1);
      default -> ColumnValue.fromLong(random.nextInt(5));
    };
  }

  private static List<ColumnUpdate> updates(Random random, boolean isJudged) {
    Map<String, ColumnUpdate> updates = new LinkedHashMap<>();
    for (int i = random.nextInt(NAMES.size()); i >= 0; i--) {
      String name = NAMES.get(random.nextInt(NAMES.size()));
      int dice = random.nextInt(6);
      if (dice == 0) {
        updates.put(name, new ColumnUpdate.Delete(name));
      } else if (dice == 1 || !isJudged) {
        updates.put(name, new ColumnUpdate.Put(name, value(random)));
      } else {
        long delta = random.nextInt(8) == 0 ? Long.MIN_VALUE : random.nextInt(5) - 1;
        updates.put(name, new ColumnUpdate.Increment(name, delta));
      }
    }
    return List.copyOf(updates.values());
  }

  private static List<Rejection> apply(
      List<RowChange> changes, boolean isAtomic, Map<String, Map<String, ColumnValue>> model) {
    Map<String, Map<String, ColumnValue>> before = new TreeMap<>(model);
    List<Rejection> refused = new ArrayList<>();
    for (int row = 0; row < changes.size(); row++) {
      int index = row;
      apply(changes.get(row), model).ifPresent(why -> refused.add(new Rejection(index, why)));
    }
    if (!isAtomic || refused.isEmpty()) {
      return refused;
    }
    model.clear();
    model.putAll(before);
    Rejection first = refused.get(0);
    return IntStream.range(0, changes.size())
        .mapToObj(
            row -> row == first.rowIndex() ? first : new Rejection(row, ErrorCode.BATCH_REFUSED))
        .toList();
  }

  private static Optional<ErrorCode> apply(
      RowChange change, Map<String, Map<String, ColumnValue>> model) {
    String key = change.primaryKey().getPrimaryKeyColumn(0).getValue().asString();
    Map<String, ColumnValue> row = new TreeMap<>(model.getOrDefault(key, Map.of()));
    if (change.columnCondition().isPresent()
        && !(change.columnCondition().get().text().startsWith("a")
            ? isBelow(row.get("a"))
            : row.containsKey("b"))) {
      return Optional.of(ErrorCode.CONDITION_FAILED);
    }
    if (change instanceof RowUpdateChange update) {
      for (ColumnUpdate column : update.updates()) {
        Optional<ErrorCode> refusal = apply(column, row);
        if (refusal.isPresent()) {
          return refusal;
        }
      }
      model.put(key, row);
    } else if (change instanceof RowPutChange put) {
      row.clear();
      put.columns().forEach(column -> row.put(column.getName(), column.getValue()));
      model.put(key, row);
    } else {
      model.remove(key);
    }
    return Optional.empty();
  }

  private static boolean isBelow(ColumnValue a) {
    return a != null
        && switch (a.getType()) {
          case INTEGER -> a.asLong() < 3;
          case DOUBLE -> a.asDouble() < 3;
          case STRING, BINARY, BOOLEAN -> false;
        };
  }

  private static Optional<ErrorCode> apply(ColumnUpdate update, Map<String, ColumnValue> row) {
    if (update instanceof ColumnUpdate.Put put) {
      row.put(put.name(), put.value());
    } else if (update instanceof ColumnUpdate.Increment increment) {
      ColumnValue before = row.getOrDefault(update.name(), ColumnValue.fromLong(0));
      if (!before.equals(ColumnValue.fromLong(0)) && !before.toString().matches("-?[0-9]+")) {
        return Optional.of(ErrorCode.NOT_AN_INTEGER);
      }
      BigInteger sum =
          BigInteger.valueOf(before.asLong()).add(BigInteger.valueOf(increment.delta()));
      if (sum.bitLength() >= Long.SIZE) {
        return Optional.of(ErrorCode.INTEGER_OVERFLOW);
      }
      row.put(update.name(), ColumnValue.fromLong(sum.longValueExact()));
    } else {
      row.remove(update.name());
    }
    return Optional.empty();
  }

  /** A log has no row to be judged; what was added is said of columns that are set. */
  private static void requireLog(ChangeBatch batch) {
    for (RowCursor row = batch.rows(); row.next(); ) {
      assertThat(row.mustBeJudged()).isFalse();
      Optional<Increments> deltas = row.deltas();
      assertThat(row.hasAttributes()).isEqualTo(deltas.isPresent());
      ColumnCursor column = row.columns();
      for (int place = 0; column.next(); place++) {
        int at = place;
        assertThat(column.isDelete() && deltas.flatMap(all -> all.at(at)).isPresent()).isFalse();
      }
    }
  }

  private void requireStored(Map<String, Map<String, ColumnValue>> model) {
    for (int i = 0; i < 3; i++) {
      Map<String, ColumnValue> found = new TreeMap<>();
      stored
          .columns(1, KeyCodec.encode(key("k" + i), SCHEMA))
          .ifPresent(columns -> columns.forEach((name, value) -> found.put(name, decoded(value))));
      assertThat(found).isEqualTo(model.getOrDefault("k" + i, Map.of()));
    }
  }

  private static ColumnValue decoded(Bytes typed) {
    byte[] array = typed.toByteArray();
    ColumnCursor column = new ColumnCursor(new byte[] {0}, 0, 1);
    column.moveToValue(array, 0, array.length);
    return column.value();
  }

  /** Else few bytes of requests would keep the shard busy with one large row. */
  @Test
  void a_stored_row_is_read_once_for_all_increments_of_a_batch() {
    int[] reads = {0};
    ConditionCore counting =
        new ConditionCore(
            new ConditionCore.StoredRows() {
              @Override
              public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
                return true;
              }

              @Override
              public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
                reads[0]++;
                return Optional.empty();
              }
            });
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      changes.add(
          new RowUpdateChange(
              key("k"),
              List.of(new ColumnUpdate.Increment("a", 1), new ColumnUpdate.Increment("n" + i, 1))));
    }
    ConditionCore.Judged judged = counting.judge(batch(changes), PLACE, true);
    assertThat(judged.rejections()).isEmpty();
    assertThat(reads[0]).isEqualTo(1);
    RowCursor row = judged.accepted().orElseThrow().rows();
    for (long i = 1; row.next(); i++) {
      ColumnCursor column = row.columns();
      assertThat(column.next()).isTrue();
      assertThat(column.value().asLong()).isEqualTo(i);
    }
  }

  private static PrimaryKey key(String name) {
    return PrimaryKey.of(new PrimaryKeyColumn("id", PrimaryKeyValue.fromString(name)));
  }

  private static ChangeBatch batch(List<RowChange> changes) {
    return batch(changes, false);
  }

  private static ChangeBatch batch(List<RowChange> changes, boolean isAtomic) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 256);
    if (isAtomic) {
      builder.setAttributes(Attributes.atomic(Bytes.EMPTY));
    }
    for (RowChange change : changes) {
      assertThat(builder.add(change)).isTrue();
    }
    byte[] array = builder.build(1);
    return ChangeBatch.parse(array, 0, array.length);
  }
}
