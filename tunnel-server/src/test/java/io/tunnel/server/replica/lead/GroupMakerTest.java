package io.tunnel.server.replica.lead;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.FakeReplicaRows;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups that are made in slices, against groups that are made at once. */
class GroupMakerTest {

  private static final int P = 1;
  private static final long EPOCH = 9;
  private static final ReplicaConfig.Batches LIMITS =
      new ReplicaConfig.Batches(4_096, 40, 4_096, 16L << 20, 4_096, 40L << 20);

  private final FakeReplicaRows rows = new FakeReplicaRows(new Random(1));

  /** What a writer was told. */
  private static final class Told implements PendingWrite.Outcome {
    private Optional<WriteResult> result = Optional.empty();

    @Override
    public void written(WriteResult written) {
      result = Optional.of(written);
    }

    @Override
    public void refused(RefusedException reason) {
      throw new AssertionError("a write that is part of a group was refused", reason);
    }
  }

  private static PendingWrite write(Told told, boolean isConditional, List<RowChange> changes) {
    ChangeBatch batch = TestRows.batch(P, changes);
    return new PendingWrite(batch, isConditional, ColumnSizes.of(batch), false, told);
  }

  private GroupMaker maker() {
    return new GroupMaker(P, rows, TestNumbers.of(P), LIMITS);
  }

  /** The group of {@code epoch}, in as many slices as it takes. */
  private static AppendGroup make(
      GroupMaker maker, ArrayDeque<PendingWrite> waiting, long epoch, BooleanSupplier mayGoOn) {
    Optional<AppendGroup> group = Optional.empty();
    while (group.isEmpty()) {
      group = maker.writes(waiting, epoch, count -> 100, mayGoOn);
    }
    return group.get();
  }

  /** Reads a whole group back from the log. */
  private static void readBack(AppendGroup group) {
    long offset = 1;
    for (Entry entry : group.entries()) {
      group.read(new Stored(offset++, 0, entry));
    }
  }

  private void fold(RowChange... changes) throws IOException {
    rows.fold(List.of(TestRows.batch(P, changes)));
  }

  private static RowChange absent(String key) {
    return new RowPutChange(
        TestRows.key(key),
        List.of(new Column("c", ColumnValue.fromLong(1))),
        RowExistenceExpectation.EXPECT_NOT_EXIST);
  }

  private static RowChange change(Random random, boolean isConditional) {
    String key = "k" + random.nextInt(8);
    Bytes value = Bytes.copyOf(new byte[random.nextInt(400)]);
    Column column =
        new Column("c" + random.nextInt(4), ColumnValue.fromBinary(value.toByteArray()));
    return switch (random.nextInt(isConditional ? 4 : 2)) {
      case 0 -> new RowDeleteChange(TestRows.key(key));
      case 1 -> TestRows.put(key, column);
      case 2 ->
          new RowPutChange(
              TestRows.key(key),
              List.of(column),
              random.nextBoolean()
                  ? RowExistenceExpectation.EXPECT_EXIST
                  : RowExistenceExpectation.EXPECT_NOT_EXIST);
      default ->
          new RowUpdateChange(
              TestRows.key(key),
              List.of(new ColumnUpdate.Put(column.getName(), column.getValue())));
    };
  }

  private static List<PendingWrite> writes(Random random, List<Told> told) {
    List<PendingWrite> writes = new ArrayList<>();
    for (int i = 0; i < 1 + random.nextInt(6); i++) {
      boolean isConditional = random.nextInt(3) > 0;
      List<RowChange> changes = new ArrayList<>();
      for (int row = 0; row < 1 + random.nextInt(30); row++) {
        changes.add(change(random, isConditional));
      }
      told.add(new Told());
      writes.add(write(told.get(i), isConditional, changes));
    }
    return writes;
  }

  /** Groups until all writes are answered, with what their writers were told. */
  private List<Object> answers(long seed, BooleanSupplier mayGoOn) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < 6; i++) {
      fold(TestRows.put("k" + random.nextInt(8), new Column("c0", ColumnValue.fromLong(i))));
    }
    List<Told> told = new ArrayList<>();
    ArrayDeque<PendingWrite> waiting = new ArrayDeque<>(writes(random, told));
    List<Object> answers = new ArrayList<>();
    GroupMaker maker = maker();
    while (!waiting.isEmpty()) {
      AppendGroup group = make(maker, waiting, EPOCH, mayGoOn);
      assertThat(maker.isMaking()).isFalse();
      answers.addAll(group.entries());
      readBack(group);
      group.answer(Leader.unavailable());
    }
    told.forEach(one -> answers.add(one.result.orElseThrow()));
    return answers;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void a_group_in_slices_is_the_group_that_is_made_at_once(long seed) throws IOException {
    List<Object> atOnce = answers(seed, () -> true);
    Random ends = new Random(-seed);
    assertThat(answers(seed, () -> ends.nextInt(3) > 0)).as("seed %d", seed).isEqualTo(atOnce);
    assertThat(answers(seed, () -> false)).as("seed %d", seed).isEqualTo(atOnce);
  }

  @Test
  void a_condition_on_columns_is_judged_by_the_leader_and_does_not_enter_the_log()
      throws IOException {
    fold(TestRows.put("k", new Column("c", ColumnValue.fromLong(1))));
    ChangeBatch batch =
        TestRows.batch(
            P,
            List.of(
                TestRows.put("k", new Column("c", ColumnValue.fromLong(2)))
                    .onlyIf(Condition.parse("c = 1")),
                TestRows.put("k", new Column("c", ColumnValue.fromLong(3)))
                    .onlyIf(Condition.parse("c = 1"))));
    Told told = new Told();
    PendingWrite write =
        new PendingWrite(
            batch,
            new PendingWrite.Judging(
                ConditionPlace.ofRows(TestRows.SCHEMA), true, ColumnSizes.of(batch)),
            Optional.empty(),
            false,
            told);
    AppendGroup group = make(maker(), new ArrayDeque<>(List.of(write)), EPOCH, () -> true);
    assertThat(group.entries()).extracting(Entry::attributes).containsExactly(Bytes.EMPTY);
    readBack(group);
    group.answer(Leader.unavailable());
    assertThat(told.result.orElseThrow().rejections())
        .containsExactly(new Rejection(1, ErrorCode.CONDITION_FAILED));
  }

  @Test
  void a_slice_ends_behind_the_row_at_which_it_is_to_end() {
    Told told = new Told();
    ArrayDeque<PendingWrite> waiting =
        new ArrayDeque<>(List.of(write(told, true, List.of(absent("a"), absent("b")))));
    GroupMaker maker = maker();
    AtomicInteger asked = new AtomicInteger();
    BooleanSupplier never = () -> asked.incrementAndGet() < 0;
    assertThat(maker.writes(waiting, EPOCH, count -> 100, never)).isEmpty();
    assertThat(asked).hasValue(1);
    assertThat(maker.isMaking()).isTrue();
    assertThat(waiting).as("the write waits until its group is whole").hasSize(1);
    assertThat(make(maker, waiting, EPOCH, never).entries()).hasSize(2);
    assertThat(waiting).isEmpty();
  }

  @Test
  void a_write_that_comes_behind_the_first_slice_is_in_the_next_group() {
    ArrayDeque<PendingWrite> waiting = new ArrayDeque<>();
    waiting.add(write(new Told(), false, List.of(TestRows.put("a"), TestRows.put("b"))));
    GroupMaker maker = maker();
    assertThat(maker.writes(waiting, EPOCH, count -> 100, () -> false)).isEmpty();
    Told told = new Told();
    waiting.add(write(told, true, List.of(absent("a"))));
    assertThat(make(maker, waiting, EPOCH, () -> true).entries()).hasSize(2);
    assertThat(waiting).hasSize(1);
  }

  /** Another leader may have changed rows between the two epochs. */
  @Test
  void what_was_judged_in_a_former_epoch_is_judged_again() throws IOException {
    Told told = new Told();
    ArrayDeque<PendingWrite> waiting =
        new ArrayDeque<>(List.of(write(told, true, List.of(absent("a"), absent("b")))));
    GroupMaker maker = maker();
    assertThat(maker.writes(waiting, EPOCH, count -> 100, () -> false)).isEmpty();
    fold(TestRows.put("a"));
    AppendGroup group = make(maker, waiting, EPOCH + 1, () -> true);
    assertThat(group.epoch()).isEqualTo(EPOCH + 1);
    readBack(group);
    group.answer(Leader.unavailable());
    assertThat(told.result)
        .contains(new WriteResult(1, 1, List.of(new Rejection(0, ErrorCode.CONDITION_FAILED))));
  }

  /** A record has the result and what was added, so that no replica adds. */
  @Test
  void an_increment_that_was_judged_in_a_former_epoch_adds_once() throws IOException {
    fold(TestRows.put("a", new Column("n", ColumnValue.fromLong(5))));
    RowChange add =
        new RowUpdateChange(TestRows.key("a"), List.of(new ColumnUpdate.Increment("n", 2)));
    ArrayDeque<PendingWrite> waiting =
        new ArrayDeque<>(List.of(write(new Told(), true, List.of(add, add))));
    GroupMaker maker = maker();
    assertThat(maker.writes(waiting, EPOCH, count -> 100, () -> false)).isEmpty();
    AppendGroup group = make(maker, waiting, EPOCH + 1, () -> true);
    assertThat(group.entries())
        .allSatisfy(
            entry ->
                assertThat(entry.attributes())
                    .isEqualTo(Bytes.fromHex("06" + "09" + "00" + "0000000000000002")));
    assertThat(group.entries())
        .extracting(entry -> entry.value().orElseThrow().toString())
        .satisfiesExactly(
            first -> assertThat(first).contains("01" + "0000000000000007"),
            second -> assertThat(second).contains("01" + "0000000000000009"));
  }

  /** The second row was refused because of the first one, which is not applied. */
  @Test
  void a_row_behind_one_that_is_not_applied_is_sent_again_with_it() {
    Told told = new Told();
    List<RowChange> changes = List.of(TestRows.put("x"), absent("a"), absent("a"));
    ArrayDeque<PendingWrite> waiting = new ArrayDeque<>(List.of(write(told, true, changes)));
    AppendGroup group = make(maker(), waiting, EPOCH, () -> true);
    group.read(new Stored(1, 0, group.entries().get(0)));
    group.answer(Leader.unavailable());
    assertThat(told.result)
        .contains(
            new WriteResult(
                1,
                1,
                List.of(
                    new Rejection(1, ErrorCode.NOT_LEADER),
                    new Rejection(2, ErrorCode.NOT_LEADER))));
  }

  /** Records of rows that grow far beyond the limit of an append. */
  @Test
  void rows_behind_a_full_append_are_not_judged_and_sent_again() throws IOException {
    byte[] large = new byte[1 << 20];
    fold(TestRows.put("a", new Column("large", ColumnValue.fromBinary(large))));
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      changes.add(
          new RowUpdateChange(
              TestRows.key("a"), List.of(new ColumnUpdate.Put("c", ColumnValue.fromLong(i)))));
    }
    changes.add(absent("a"));
    Told told = new Told();
    ArrayDeque<PendingWrite> waiting = new ArrayDeque<>(List.of(write(told, true, changes)));
    AppendGroup group = make(maker(), waiting, EPOCH, () -> true);
    readBack(group);
    group.answer(Leader.unavailable());
    WriteResult result = told.result.orElseThrow();
    assertThat(result.appliedRows()).isEqualTo(group.entries().size()).isBetween(8, 10);
    assertThat(result.rejections()).hasSize(changes.size() - result.appliedRows());
    assertThat(result.rejections()).extracting(Rejection::code).containsOnly(ErrorCode.NOT_LEADER);
  }
}
