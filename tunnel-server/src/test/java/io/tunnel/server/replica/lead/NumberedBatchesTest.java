package io.tunnel.server.replica.lead;

import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WrittenBatch;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Returning;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.judge.AnswerCodec;
import io.tunnel.server.partition.judge.Writers;
import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Jump;
import io.tunnel.wire.WriteResult.Rejection;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the records of a partition say of its writers, to whoever has read them. */
class NumberedBatchesTest {

  private static final int P = 3;
  private static final long EPOCH = 1;
  private static final long FIRST = 5L * ReplicaCore.APPEND_ENTRIES_MAX;
  private static final long SECOND = 1_000_000;
  private static final Bytes KEY = Bytes.fromHex("aa");
  private static final List<Rejection> REJECTED =
      List.of(new Rejection(1, ErrorCode.CONDITION_FAILED));

  /** Each row asks for a column. */
  private static final ChangeBatch FOUR_ROWS = fourRows();

  private final Map<Bytes, Bytes> stored = new HashMap<>();
  private Writers writers = new Writers(Map.of());
  private long nowMicros = 1_000 * SECOND;
  private long retentionMicros = Long.MAX_VALUE;
  private NumberedBatches batches = new NumberedBatches(P, writers, new Times());

  private final class Times implements NumberedBatches.Port {
    @Override
    public long retentionMicros(int partition) {
      return retentionMicros;
    }

    @Override
    public long epochMicros() {
      return nowMicros;
    }
  }

  private static ChangeBatch fourRows() {
    BatchBuilder rows = new BatchBuilder(TestRows.SCHEMA, 256);
    for (int row = 0; row < 4; row++) {
      rows.add(put("k" + row).returning(Returning.columns("c")));
    }
    byte[] bytes = rows.build(P);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  private static Bytes writer(long dateMicros) {
    return Bytes.copyOf(ByteBuffer.allocate(24).putLong(dateMicros).putLong(0).putLong(7).array());
  }

  private Stored record(long offset, long epoch, long sequence, Bytes attributes) {
    Entry entry = new Entry(Kind.CHANGE, KEY, epoch, sequence, Optional.empty(), 0, attributes);
    return new Stored(offset, nowMicros, entry);
  }

  /** The first record of a batch of three records and a rejected row. */
  private void begin(Bytes writer, long number, long offset) {
    begin(writer, number, offset, List.of());
  }

  private void begin(Bytes writer, long number, long offset, List<ReturnedRow> returned) {
    Bytes rejected = AnswerCodec.encode(REJECTED, returned);
    Bytes attributes = new WrittenBatch(writer, number, 3, rejected).addTo(Bytes.EMPTY);
    batches.read(record(offset, EPOCH, FIRST, attributes), true);
  }

  private void next(int index, long offset) {
    batches.read(record(offset, EPOCH, FIRST + index, Bytes.EMPTY), true);
  }

  private Optional<WriteResult> repeated(Bytes writer, long number, long after) {
    return batches.repeated(new Numbered(writer, number, after), FOUR_ROWS);
  }

  private void requireEnded(Bytes writer, long number, long after, String why) {
    assertThatThrownBy(() -> repeated(writer, number, after))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.WRITER_ENDED))
        .hasMessageContaining(why);
  }

  /** Starts again from the stored bytes alone. */
  private void restart() {
    batches.settle();
    writers
        .takeRaised()
        .forEach(
            (writer, known) -> {
              if (known.length() == 0) {
                stored.remove(writer);
              } else {
                stored.put(writer, known);
              }
            });
    writers = new Writers(stored);
    batches = new NumberedBatches(P, writers, new Times());
  }

  @Test
  void a_whole_batch_is_answered_again_with_its_positions_and_rejections() {
    Bytes writer = writer(nowMicros);
    assertThat(repeated(writer, 1, 0)).isEmpty();
    begin(writer, 1, 10);
    next(1, 11);
    next(2, 14);
    WriteResult first = new WriteResult(10, 3, REJECTED, List.of(new Jump(2, 14)), List.of());
    assertThat(repeated(writer, 1, 0)).contains(first);
    restart();
    assertThat(repeated(writer, 1, 0)).contains(first);
    assertThat(repeated(writer, 2, 1)).isEmpty();
    requireEnded(writer, 4, 3, "follows batch 3");
  }

  @Test
  void of_a_batch_that_ends_early_the_rows_that_count_are_told_and_the_others_are_sent_again() {
    Bytes writer = writer(nowMicros);
    begin(writer, 1, 10);
    next(1, 11);
    // The next leader appends under another epoch, though with the sequence that would be next.
    batches.read(record(13, EPOCH + 11, FIRST + 2, Bytes.EMPTY), true);
    WriteResult part =
        new WriteResult(
            10,
            2,
            List.of(
                new Rejection(1, ErrorCode.CONDITION_FAILED),
                new Rejection(3, ErrorCode.NOT_LEADER)));
    assertThat(repeated(writer, 1, 0)).contains(part);
    restart();
    assertThat(repeated(writer, 1, 0)).contains(part);
    assertThat(repeated(writer, 2, 1)).as("the other rows").isEmpty();
  }

  @Test
  void a_replica_that_restarts_in_the_middle_of_a_batch_counts_each_record_once() {
    Bytes writer = writer(nowMicros);
    begin(writer, 1, 10);
    next(1, 11);
    restart();
    // What was stored is ahead of the rows: records are read again.
    next(1, 11);
    next(2, 12);
    assertThat(repeated(writer, 1, 0)).contains(new WriteResult(10, 3, REJECTED));
    begin(writer, 1, 10);
    assertThat(repeated(writer, 1, 0)).contains(new WriteResult(10, 3, REJECTED));
  }

  @Test
  void records_that_do_not_count_are_not_counted() {
    Bytes writer = writer(nowMicros);
    begin(writer, 1, 10);
    batches.read(record(11, EPOCH, FIRST + 1, Bytes.EMPTY), false);
    assertThat(repeated(writer, 1, 0).orElseThrow().appliedRows()).isEqualTo(1);
  }

  @Test
  void a_batch_whose_rows_are_all_rejected_is_answered_again_by_each_leader() {
    Bytes writer = writer(nowMicros);
    List<Rejection> all =
        List.of(
            new Rejection(0, ErrorCode.CONDITION_FAILED),
            new Rejection(1, ErrorCode.CONDITION_FAILED),
            new Rejection(2, ErrorCode.INTEGER_OVERFLOW),
            new Rejection(3, ErrorCode.CONDITION_FAILED));
    Bytes attributes =
        new WrittenBatch(writer, 1, 0, AnswerCodec.encode(all, List.of())).addTo(Bytes.EMPTY);
    Entry repair =
        new Entry(Kind.REPAIR, KEY, EPOCH, FIRST, Optional.of(KEY), nowMicros - 1, attributes);
    batches.read(new Stored(10, nowMicros, repair), false);
    assertThat(repeated(writer, 1, 0)).as("the repair does not count").isEmpty();
    batches.read(new Stored(11, nowMicros, repair), true);
    assertThat(repeated(writer, 1, 0)).contains(new WriteResult(0, 0, all));
    restart();
    assertThat(repeated(writer, 1, 0)).contains(new WriteResult(0, 0, all));
    assertThat(repeated(writer, 2, 0)).as("the next batch").isEmpty();
  }

  @Test
  void what_rows_return_is_answered_again_as_far_as_the_batch_counts() {
    Bytes writer = writer(nowMicros);
    List<ReturnedRow> returned =
        List.of(
            new ReturnedRow(0, ReturnedRow.Kind.ABSENT),
            new ReturnedRow(1, ReturnedRow.Kind.ABSENT),
            new ReturnedRow(3, ReturnedRow.Kind.ABSENT));
    begin(writer, 1, 10, returned);
    assertThat(repeated(writer, 1, 0).orElseThrow().returned())
        .as("the third row is to be sent again, and so is all behind it")
        .isEqualTo(returned.subList(0, 2));
    next(1, 11);
    next(2, 12);
    restart();
    assertThat(repeated(writer, 1, 0).orElseThrow().returned()).isEqualTo(returned);
  }

  @Test
  void a_repair_between_the_records_of_batches_belongs_to_none() {
    Bytes writer = writer(nowMicros);
    begin(writer, 1, 10);
    Entry repair = new Entry(Kind.REPAIR, KEY, EPOCH, FIRST + 1, Optional.of(KEY), 1, Bytes.EMPTY);
    batches.read(new Stored(11, nowMicros, repair), true);
    assertThat(repeated(writer, 1, 0).orElseThrow().appliedRows()).isEqualTo(1);
  }

  @Test
  void a_writer_is_known_for_half_of_what_the_log_keeps_and_no_older_one_is_new() {
    retentionMicros = 120 * SECOND;
    Bytes writer = writer(nowMicros);
    begin(writer, 1, 10);
    next(1, 11);
    next(2, 12);
    nowMicros += 59 * SECOND;
    assertThat(repeated(writer, 1, 0)).isPresent();
    // A replica that is made anew from a compacted log has never read of the writer.
    batches = new NumberedBatches(P, new Writers(Map.of()), new Times());
    assertThat(repeated(writer, 2, 0)).as("its records would be there").isEmpty();
    nowMicros += 2 * SECOND;
    requireEnded(writer, 2, 0, "older than one that");
    batches = new NumberedBatches(P, writers, new Times());
    requireEnded(writer, 1, 0, "older than one that");
    requireEnded(writer, 2, 1, "does not know the writer");
  }

  @Test
  void a_hole_in_the_log_ends_all_writers_from_before_it_also_behind_a_restart() {
    Bytes known = writer(nowMicros);
    Bytes unknown = writer(nowMicros + 9 * SECOND);
    begin(known, 1, 10);
    nowMicros += 10 * SECOND;
    batches.skipped();
    batches.read(record(20, EPOCH, FIRST + 7, Bytes.EMPTY), true);
    requireEnded(known, 2, 0, "older than one that");
    restart();
    requireEnded(known, 1, 0, "older than one that");
    requireEnded(unknown, 1, 0, "older than one that");
    assertThat(repeated(writer(nowMicros + 60 * SECOND), 1, 0)).as("dated behind").isEmpty();
  }

  @Test
  void a_clock_that_is_behind_the_log_makes_no_writer_younger() {
    retentionMicros = 120 * SECOND;
    Bytes old = writer(nowMicros);
    nowMicros += 100 * SECOND;
    batches.read(record(20, EPOCH, FIRST, Bytes.EMPTY), true);
    nowMicros -= 100 * SECOND;
    requireEnded(old, 1, 0, "older than one that");
  }

  @Test
  void a_date_ahead_of_a_quarter_of_what_the_log_keeps_is_refused() {
    retentionMicros = 60 * SECOND;
    assertThat(repeated(writer(nowMicros + 15 * SECOND), 1, 0)).isEmpty();
    requireEnded(writer(nowMicros + 16 * SECOND), 1, 0, "has not come yet");
  }
}
