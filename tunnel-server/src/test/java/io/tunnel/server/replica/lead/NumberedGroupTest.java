package io.tunnel.server.replica.lead;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.WrittenBatch;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.FakeReplicaRows;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Groups of numbered batches: what the log says of each, and when its writer is told. */
class NumberedGroupTest {

  private static final int P = 1;
  private static final long EPOCH = 9;

  private final FakeReplicaRows rows = new FakeReplicaRows(new Random(1));
  private final NumberedBatches numbered = TestNumbers.of(P);
  private final GroupMaker maker =
      new GroupMaker(P, rows, numbered, ReplicaConfig.DEFAULT.batches());
  private final ArrayDeque<PendingWrite> waiting = new ArrayDeque<>();
  private long offset = 20;

  /** What a writer was told. */
  private static final class Told implements PendingWrite.Outcome {
    private Optional<WriteResult> result = Optional.empty();
    private Optional<RefusedException> refusal = Optional.empty();

    @Override
    public void written(WriteResult written) {
      result = Optional.of(written);
    }

    @Override
    public void refused(RefusedException reason) {
      refusal = Optional.of(reason);
    }
  }

  @BeforeEach
  void fold() throws IOException {
    rows.fold(List.of(TestRows.batch(P, List.of(TestRows.put("a", column(1))))));
  }

  private static Column column(long value) {
    return new Column("c", ColumnValue.fromLong(value));
  }

  private static RowChange absent(String key) {
    return new RowPutChange(
        TestRows.key(key), List.of(column(2)), RowExistenceExpectation.EXPECT_NOT_EXIST);
  }

  private static Bytes writer(int id) {
    return Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(id).array());
  }

  private Told write(int writer, long number, RowChange... changes) {
    ChangeBatch batch = TestRows.batch(P, List.of(changes));
    Told told = new Told();
    waiting.add(
        new PendingWrite(
            batch,
            new PendingWrite.Judging(
                ConditionPlace.ofRows(TestRows.SCHEMA), true, ColumnSizes.of(batch)),
            Optional.of(new Numbered(writer(writer), number, 0)),
            false,
            told));
    return told;
  }

  private AppendGroup group() {
    return maker.writes(waiting, EPOCH, count -> 1 << 20, () -> true).orElseThrow();
  }

  private void read(AppendGroup group, int count) {
    for (Entry entry : group.entries().subList(0, count)) {
      Stored record = new Stored(offset++, 1, entry);
      numbered.read(record, true);
      group.read(record);
    }
    group.answer(Leader.unavailable());
  }

  private static Optional<WrittenBatch> said(Entry entry) {
    return WrittenBatch.of(entry.attributes());
  }

  @Test
  void the_first_record_of_a_batch_says_who_wrote_the_batch() {
    Told told = write(1, 7, TestRows.put("x", column(1)), absent("a"), TestRows.put("y"));
    AppendGroup group = group();
    assertThat(said(group.entries().get(0)))
        .hasValueSatisfying(
            batch -> {
              assertThat(batch.writer()).isEqualTo(writer(1));
              assertThat(batch.number()).isEqualTo(7);
              assertThat(batch.records()).isEqualTo(2);
            });
    assertThat(said(group.entries().get(1))).isEmpty();
    read(group, 2);
    assertThat(told.result)
        .contains(new WriteResult(20, 2, List.of(new Rejection(1, ErrorCode.CONDITION_FAILED))));
    Told again = write(1, 7, TestRows.put("x", column(1)), absent("a"), TestRows.put("y"));
    assertThat(maker.writes(waiting, EPOCH, count -> 2 << 20, () -> true)).isEmpty();
    assertThat(again.result).isEqualTo(told.result);
    assertThat(waiting).isEmpty();
  }

  @Test
  void a_writer_is_told_that_all_rows_are_rejected_when_the_log_says_so() {
    Told first = write(1, 1, TestRows.put("x"));
    Told second = write(2, 1, absent("a"));
    Told third = write(3, 1, absent("a"));
    AppendGroup group = group();
    assertThat(group.entries())
        .extracting(Entry::kind)
        .containsExactly(Kind.CHANGE, Kind.REPAIR, Kind.REPAIR);
    read(group, 2);
    assertThat(first.result).isPresent();
    assertThat(second.result)
        .contains(new WriteResult(0, 0, List.of(new Rejection(0, ErrorCode.CONDITION_FAILED))));
    assertThat(third.refusal).as("its record was not read back").isPresent();
    Told again = write(2, 1, absent("a"));
    assertThat(maker.writes(waiting, EPOCH, count -> 2 << 20, () -> true)).isEmpty();
    assertThat(again.result).isEqualTo(second.result);
  }

  @Test
  void a_repair_that_says_so_never_takes_back_what_the_group_has_changed() {
    Told first = write(1, 1, TestRows.put("a", column(5)));
    Told second = write(2, 1, absent("a"));
    AppendGroup group = group();
    assertThat(group.entries()).extracting(Entry::kind).containsExactly(Kind.CHANGE);
    assertThat(waiting).as("the batch waits for the next group").hasSize(1);
    read(group, 1);
    assertThat(first.result).isPresent();
    assertThat(second.result.isPresent() || second.refusal.isPresent()).isFalse();
    assertThat(group().entries()).extracting(Entry::kind).containsExactly(Kind.REPAIR);
  }

  @Test
  void the_next_batch_of_a_writer_waits_for_the_next_group() {
    var first = write(1, 1, TestRows.put("x"));
    var second = write(1, 2, TestRows.put("x"));
    var behind = write(2, 1, TestRows.put("y"));
    AppendGroup group = group();
    assertThat(group.entries()).hasSize(1);
    assertThat(waiting).hasSize(2);
    read(group, 1);
    assertThat(group().entries()).hasSize(2);
    assertThat(first.result).isPresent();
    assertThat(second.refusal.isPresent() || behind.refusal.isPresent()).isFalse();
  }
}
