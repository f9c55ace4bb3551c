package io.tunnel.server.replica.lead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.FakeReplicaRows;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.shared.BatchRow;
import io.tunnel.server.replica.shared.RecordCodec;
import io.tunnel.server.replica.shared.RecordValue;
import io.tunnel.server.replica.shared.RunCore;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Which rows a leader takes from the batches of its writers, and which from what it reads. */
class AppendGroupTest {

  private static final long EPOCH = 9;

  private static final PendingWrite.Outcome IGNORED =
      new PendingWrite.Outcome() {
        @Override
        public void written(WriteResult result) {}

        @Override
        public void refused(RefusedException reason) {}
      };

  private static AppendGroup group(boolean isConditional) {
    RowChange put = TestRows.put("a", new Column("x", ColumnValue.fromLong(1)));
    RowChange delete = new RowDeleteChange(TestRows.key("b"));
    return group(TestRows.batch(1, put, delete), isConditional);
  }

  private static AppendGroup group(ChangeBatch batch, boolean isConditional) {
    return group(batch, isConditional, IGNORED);
  }

  private static AppendGroup group(
      ChangeBatch batch, boolean isConditional, PendingWrite.Outcome outcome) {
    PendingWrite write =
        new PendingWrite(batch, isConditional, ColumnSizes.of(batch), false, outcome);
    GroupMaker maker =
        new GroupMaker(
            1,
            new FakeReplicaRows(new Random(1)),
            TestNumbers.of(1),
            ReplicaConfig.DEFAULT.batches());
    return maker
        .writes(new ArrayDeque<>(List.of(write)), EPOCH, count -> 100, () -> true)
        .orElseThrow();
  }

  private static Stored stored(Entry entry) {
    return new Stored(20, 0, entry);
  }

  private static Entry with(Entry entry, long epoch, long sequence, Optional<Bytes> value) {
    return new Entry(entry.kind(), entry.key(), epoch, sequence, value);
  }

  /** Another byte at {@code index}. */
  private static Optional<Bytes> changed(Entry entry, int index) {
    byte[] bytes = entry.value().orElseThrow().toByteArray();
    bytes[index] ^= 1;
    return Optional.of(Bytes.copyOf(bytes));
  }

  @Test
  void the_next_record_is_taken_from_the_batch_of_its_writer() {
    AppendGroup group = group(false);
    for (Entry entry : List.copyOf(group.entries())) {
      BatchRow row = group.row(stored(entry)).orElseThrow();
      int keyBytes = entry.key().length();
      assertThat(row.rowEnd() - row.rowOffset()).isGreaterThan(keyBytes);
      group.read(stored(entry));
    }
    assertThat(group.isWhole()).isTrue();
    assertThat(group.row(stored(group.entries().get(1)))).isEmpty();
  }

  @Test
  void what_the_record_says_is_not_looked_at_again_but_for_its_size_and_checksum() {
    AppendGroup group = group(false);
    Entry first = group.entries().get(0);
    int length = first.value().orElseThrow().length();
    assertThat(group.row(stored(with(first, EPOCH, 100, changed(first, 2))))).isPresent();
    List<Entry> others =
        List.of(
            with(first, EPOCH + 1, 100, first.value()),
            with(first, EPOCH, 101, first.value()),
            with(first, EPOCH, 100, changed(first, length - 1)),
            with(first, EPOCH, 100, Optional.of(Bytes.EMPTY)),
            with(first, EPOCH, 100, Optional.empty()));
    for (Entry other : others) {
      assertThat(group.row(stored(other))).isEmpty();
      if (other.epoch() == EPOCH) {
        assertThatThrownBy(() -> group.read(stored(other)))
            .isInstanceOf(IllegalStateException.class);
      }
    }
  }

  @Test
  void a_row_with_a_condition_is_read_whole() {
    AppendGroup group = group(true);
    Entry first = group.entries().get(0);
    assertThat(group.row(stored(first))).isEmpty();
    Entry changed = with(first, EPOCH, 100, changed(first, 2));
    assertThatThrownBy(() -> group.read(stored(changed))).isInstanceOf(IllegalStateException.class);
    group.read(stored(first));
  }

  @Test
  void rows_return_columns_as_far_as_their_records_were_read_back() {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      rows.add(
          TestRows.put("k" + i, new Column("x", ColumnValue.fromLong(i)))
              .returning(Returning.columns("x")));
    }
    List<WriteResult> results = new ArrayList<>();
    AppendGroup group =
        group(
            TestRows.batch(1, rows),
            true,
            new PendingWrite.Outcome() {
              @Override
              public void written(WriteResult result) {
                results.add(result);
              }

              @Override
              public void refused(RefusedException reason) {}
            });
    assertThat(group.entries()).allMatch(entry -> entry.attributes().length() == 0);
    group.read(stored(group.entries().get(0)));
    int unused = group.answer(new RefusedException(ErrorCode.NOT_LEADER, "the lead is lost"));
    assertThat(results).hasSize(1);
    assertThat(results.get(0).appliedRows()).isEqualTo(1);
    assertThat(results.get(0).returned()).extracting(ReturnedRow::rowIndex).containsExactly(0);
  }

  /** Each run of rows would take along all names: rows became thousands of times as large. */
  @Test
  void rows_of_a_batch_of_many_names_are_read_with_the_names_that_they_use() {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      String name = "a-column-of-its-own-".repeat(10) + i;
      rows.add(TestRows.put("k" + i, new Column(name, ColumnValue.fromLong(i))));
    }
    ChangeBatch batch = TestRows.batch(1, rows);
    int runBytes = ReplicaConfig.DEFAULT.batches().mergedBytesMax();
    assertThat(batch.dictionaryBytes()).isGreaterThan(runBytes / 8);
    AppendGroup group = group(batch, false);
    RunCore runs = new RunCore(1, runBytes);
    long offset = 7;
    for (Entry entry : List.copyOf(group.entries())) {
      Stored record = new Stored(offset, 0, entry);
      assertThat(group.row(record)).isEmpty();
      Optional<RecordValue> value = entry.value().map(v -> RecordCodec.decode(entry.key(), v));
      runs.add(offset++, 0, false, new RunCore.Row(entry, value));
      group.read(record);
    }
    long bytes = runs.take().stream().mapToLong(run -> run.rows().byteCount()).sum();
    assertThat(bytes).isLessThan(2L * batch.byteCount() + 64L * rows.size());
  }
}
