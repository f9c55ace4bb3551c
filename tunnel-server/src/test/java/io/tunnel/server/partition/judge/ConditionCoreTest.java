package io.tunnel.server.partition.judge;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ConditionCoreTest {

  private static final List<RowExistenceExpectation> CONDITIONS =
      List.of(
          RowExistenceExpectation.IGNORE,
          RowExistenceExpectation.EXPECT_EXIST,
          RowExistenceExpectation.EXPECT_NOT_EXIST);
  private static final RowExistenceExpectation IGNORE = RowExistenceExpectation.IGNORE;

  private final Stored stored = new Stored();
  private final ConditionCore core = new ConditionCore(stored);

  /** The store, which gets a group's rows when the group is over. */
  private static final class Stored implements ConditionCore.StoredRows {
    private final Map<Bytes, Set<String>> rows = new HashMap<>();
    private final Map<String, Integer> bytes = new HashMap<>();

    @Override
    public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
      return rows.containsKey(Bytes.copyOf(array, keyOffset, keyBytes));
    }

    @Override
    public Map<String, Integer> columnBytes(
        int partition, byte[] array, int keyOffset, int keyBytes) {
      Map<String, Integer> found = new HashMap<>();
      rows.getOrDefault(Bytes.copyOf(array, keyOffset, keyBytes), Set.of())
          .forEach(name -> found.put(name, bytes.getOrDefault(name, 9)));
      return found;
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyRowIsJudgedAgainstAllRowsBeforeIt(long seed) {
    Random random = new Random(seed);
    Map<Bytes, Set<String>> model = new HashMap<>();
    for (int group = 0; group < 6; group++) {
      for (int i = random.nextInt(5); i >= 0; i--) {
        boolean isConditional = random.nextBoolean();
        ChangeBatch batch = batch(1, changes(random, isConditional));
        ConditionCore.Judged judged = core.judge(batch, isConditional);
        requireModel(batch, judged, model);
      }
      core.clear();
      stored.rows.clear();
      model.forEach((key, columns) -> stored.rows.put(key, new TreeSet<>(columns)));
    }
  }

  private static void requireModel(
      ChangeBatch batch, ConditionCore.Judged judged, Map<Bytes, Set<String>> model) {
    List<Rejection> rejections = new ArrayList<>();
    List<Bytes> accepted = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      boolean holds =
          switch (row.condition()) {
            case IGNORE -> true;
            case EXPECT_EXIST -> model.containsKey(key);
            case EXPECT_NOT_EXIST -> !model.containsKey(key);
          };
      if (holds) {
        accepted.add(rowBytes(row));
        switch (row.kind()) {
          case PUT -> model.put(key, new TreeSet<>());
          case UPDATE -> model.computeIfAbsent(key, id -> new TreeSet<>());
          case DELETE -> model.remove(key);
        }
      } else {
        rejections.add(new Rejection(row.index(), ErrorCode.CONDITION_FAILED));
      }
    }
    assertThat(judged.rejections()).isEqualTo(rejections);
    List<Bytes> rows = new ArrayList<>();
    judged.accepted().ifPresent(left -> rows.addAll(rows(left)));
    assertThat(rows).isEqualTo(accepted);
    assertThat(judged.accepted().isPresent()).isEqualTo(!accepted.isEmpty());
  }

  private static List<Bytes> rows(ChangeBatch batch) {
    List<Bytes> rows = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      rows.add(rowBytes(row));
    }
    return rows;
  }

  private static Bytes rowBytes(RowCursor row) {
    return Bytes.copyOf(row.batch().array(), row.rowOffset(), row.rowEnd() - row.rowOffset());
  }

  private static List<RowChange> changes(Random random, boolean isConditional) {
    List<RowChange> changes = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      RowExistenceExpectation condition =
          isConditional ? CONDITIONS.get(random.nextInt(3)) : IGNORE;
      String key = "k" + random.nextInt(5);
      changes.add(
          switch (random.nextInt(isConditional ? 3 : 2)) {
            case 0 -> new RowPutChange(key(key), List.of(), condition);
            case 1 -> new RowDeleteChange(key(key), condition);
            default -> new RowUpdateChange(key(key), List.of(remove("c")), condition);
          });
    }
    return changes;
  }

  private static ColumnUpdate remove(String name) {
    return new ColumnUpdate.Delete(name);
  }

  private static ColumnUpdate set(String name) {
    return new ColumnUpdate.Put(name, ColumnValue.fromLong(1));
  }

  @Test
  void anUpdateThatWouldGiveARowTooManyColumnsIsRejectedAndItsNeighboursAreNot() {
    stored.rows.put(keyBytes("full"), names(0, 1_024));
    ConditionCore.Judged judged =
        core.judge(
            batch(
                1,
                update("full", set("c0")),
                update("full", set("new")),
                update("full", remove("c1"), set("new")),
                update("full", set("newer")),
                update("other", set("new"))),
            true);
    assertThat(judged.rejections())
        .containsExactly(
            new Rejection(1, ErrorCode.ROW_TOO_LARGE), new Rejection(3, ErrorCode.ROW_TOO_LARGE));
  }

  @Test
  void updatesCountOnThePutsAndDeletesOfTheirOwnGroup() {
    stored.rows.put(keyBytes("gone"), names(0, 1_024));
    List<Column> columns =
        names(0, 1_024).stream().map(name -> new Column(name, ColumnValue.fromLong(1))).toList();
    core.judge(batch(1, new RowDeleteChange(key("gone"))), false);
    core.judge(batch(1, new RowPutChange(key("put"), columns)), false);
    ConditionCore.Judged judged =
        core.judge(batch(1, update("gone", set("new")), update("put", set("new"))), true);
    assertThat(judged.rejections()).containsExactly(new Rejection(1, ErrorCode.ROW_TOO_LARGE));
  }

  @Test
  void anUpdateThatWouldGiveARowTooManyBytesIsRejected() {
    stored.rows.put(keyBytes("k"), new TreeSet<>(Set.of("big", "too")));
    stored.bytes.put("big", 2 << 20);
    stored.bytes.put("too", (2 << 20) - 100);
    String value = "v".repeat(200);
    ColumnUpdate more = new ColumnUpdate.Put("more", ColumnValue.fromString(value));
    assertThat(core.judge(batch(1, update("k", more)), true).rejections())
        .containsExactly(new Rejection(0, ErrorCode.ROW_TOO_LARGE));
    assertThat(core.judge(batch(1, update("k", more, remove("big"))), true).rejections()).isEmpty();
  }

  private static Set<String> names(int from, int to) {
    Set<String> names = new TreeSet<>();
    for (int i = from; i < to; i++) {
      names.add("c" + i);
    }
    return names;
  }

  private static RowChange update(String key, ColumnUpdate... updates) {
    return new RowUpdateChange(key(key), List.of(updates));
  }
}
