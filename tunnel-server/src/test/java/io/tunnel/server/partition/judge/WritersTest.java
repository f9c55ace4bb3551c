package io.tunnel.server.partition.judge;

import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.WrittenRows;
import io.tunnel.core.WriterCore;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a shard stores of its writers, and what it finds in its log. */
class WritersTest {

  // Principals.
  private static final long NOBODY = 0;
  private static final long QUIET = 1;
  private static final long GREEDY = 2;

  private static final int P = 7;
  private static final long NOW = 1_700_000_000_000_000L;

  private final Map<Bytes, Bytes> stored = new HashMap<>();
  private WriterLimits.Share limits = WriterLimits.DEFAULT.of(1);
  private Writers writers = restored();

  private Writers restored() {
    return new Writers(
        stored::forEach,
        limits,
        AnswerCodec::shortened,
        memory -> new WriterCore(2, WriterCore.KEPT_MICROS, memory));
  }

  private static Bytes writer(int id) {
    return writer(NOBODY, id);
  }

  private static Bytes writer(long principal, int id) {
    return Bytes.copyOf(
        ByteBuffer.allocate(24).putLong(NOW + id).putLong(principal).putLong(id).array());
  }

  private void answered(int writer, long number, WriteResult result) {
    writers.answered(P, new Numbered(writer(writer), number, 0), result, NOW + number);
  }

  private Optional<WriteResult> repeated(int writer, long number, int rows) {
    return repeated(writer, number, rows, Optional.empty());
  }

  /** A batch comes again whose rows ask for something to be returned, or not. */
  private Optional<WriteResult> repeated(
      int writer, long number, int rows, Optional<Returning> asked) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    for (int i = 0; i < rows; i++) {
      RowChange row = put("k" + i);
      builder.add(asked.map(row::returning).orElse(row));
    }
    byte[] bytes = builder.build(P);
    return writers.repeated(
        ChangeBatch.parse(bytes, 0, bytes.length), new Numbered(writer(writer), number, 0), NOW);
  }

  private void requireEnded(int writer, long number, int rows) {
    assertThatThrownBy(() -> repeated(writer, number, rows))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.WRITER_ENDED));
  }

  private void restart() {
    writers
        .takeRaised()
        .forEach(
            (key, value) -> {
              if (value.length() == 0) {
                stored.remove(key);
              } else {
                stored.put(key, value);
              }
            });
    writers = restored();
  }

  @Test
  void a_forgotten_writer_is_refused_also_after_a_restart() {
    WriteResult result = new WriteResult(4, 1, List.of());
    for (int writer = 1; writer <= 3; writer++) {
      answered(writer, writer, result);
    }
    requireEnded(1, 1, 1);
    restart();
    assertThat(stored).as("two writers, and who was forgotten").hasSize(3);
    requireEnded(1, 1, 1);
    assertThat(repeated(2, 2, 1)).contains(result);
    assertThat(repeated(3, 3, 1)).contains(result);
    assertThat(repeated(4, 1, 1)).isEmpty();
    assertThat(writers.taken().repeated()).isEqualTo(2);
  }

  @Test
  void what_the_log_has_and_the_table_lacks_is_found_in_the_log() {
    List<Rejection> rejected = List.of(new Rejection(1, ErrorCode.CONDITION_FAILED));
    ByteSink value = new ByteSink(100);
    new WrittenRows(0, 2, writer(1), 5, AnswerCodec.encode(rejected, List.of())).write(value, 0);
    new WrittenRows(3, 1, writer(2), 9, Bytes.EMPTY).write(value, 2);
    ByteSink list = new ByteSink(120);
    Attributes.write(
        list, FormatFeature.WRITTEN.number(), Bytes.copyOf(value.array(), 0, value.size()));
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.setAttributes(Bytes.copyOf(list.array(), 0, list.size()));
    byte[] bytes = builder.build(P, 40, NOW);
    writers.saw(ChangeBatch.parse(bytes, 0, bytes.length));
    restart();
    assertThat(repeated(1, 5, 3)).contains(new WriteResult(40, 2, rejected));
    assertThat(repeated(2, 9, 1)).contains(new WriteResult(43, 1, List.of()));
    requireEnded(2, 9, 2);
  }

  private static ReturnedRow given(int row, int bytes) {
    ByteSink columns = new ByteSink(bytes + 8);
    columns.writeVarint(1);
    columns.writeVarint(0);
    columns.writeByte(5);
    columns.writeVarint(bytes);
    columns.write(new byte[bytes], 0, bytes);
    return new ReturnedRow(
        row, ReturnedRow.Kind.GIVEN, Bytes.copyOf(columns.array(), 0, columns.size()));
  }

  @Test
  void what_rows_return_is_kept_when_it_is_little_and_said_to_be_lost_when_it_is_much() {
    writers = new Writers(stored);
    List<Rejection> rejected = List.of(new Rejection(1, ErrorCode.CONDITION_FAILED));
    List<ReturnedRow> little =
        List.of(given(0, 1_000), new ReturnedRow(1, ReturnedRow.Kind.ABSENT), given(2, 2_000));
    List<ReturnedRow> much = List.of(given(0, 1_000), given(1, 1_000), given(2, 2_100));
    answered(1, 1, new WriteResult(4, 2, rejected).returning(little));
    answered(2, 1, new WriteResult(6, 2, rejected).returning(much));
    writers
        .takeRaised()
        .forEach(
            (key, value) -> {
              assertThat(value.length()).isLessThan(Limits.RETURNED_AGAIN_BYTES_MAX + 100);
              stored.put(key, value);
            });
    writers = new Writers(stored);
    Optional<Returning> asked = Optional.of(Returning.columns("c"));
    assertThat(repeated(1, 1, 3, asked))
        .contains(new WriteResult(4, 2, rejected).returning(little));
    assertThat(repeated(2, 1, 3, asked).orElseThrow().returned())
        .extracting(ReturnedRow::rowIndex, ReturnedRow::kind)
        .containsExactly(
            tuple(0, ReturnedRow.Kind.NOT_KEPT),
            tuple(1, ReturnedRow.Kind.NOT_KEPT),
            tuple(2, ReturnedRow.Kind.NOT_KEPT));
    assertThat(repeated(2, 1, 3, asked.map(Returning::whenRefused)).orElseThrow().returned())
        .extracting(ReturnedRow::rowIndex)
        .containsExactly(1);
  }

  /** The rows that a conditional write of one row returns, in the partition {@code partition}. */
  private void drawn(int partition, long principal, int writer, int bytes) {
    WriteResult result = new WriteResult(4, 1, List.of()).returning(List.of(given(0, bytes)));
    Numbered by = new Numbered(writer(principal, writer), 1, 0);
    writers.answered(partition, by, result, NOW + writer);
  }

  private ReturnedRow.Kind drawnAgain(int partition, long principal, int writer) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.add(put("k").returning(Returning.columns("c")));
    byte[] bytes = builder.build(partition);
    WriteResult again =
        writers
            .repeated(
                ChangeBatch.parse(bytes, 0, bytes.length),
                new Numbered(writer(principal, writer), 1, 0),
                NOW)
            .orElseThrow();
    assertThat(again.appliedRows()).as("the batch is not applied twice").isEqualTo(1);
    return again.returned().get(0).kind();
  }

  @Test
  void answers_of_all_partitions_stay_below_one_bound_and_no_number_is_dropped() {
    limits = new WriterLimits.Share(10_000, 20_000);
    writers = restored();
    for (int i = 0; i < 2_000; i++) {
      drawn(1 + i % 1_000, NOBODY, 1 + i, 1_000);
      assertThat(writers.taken().answerBytes()).isLessThanOrEqualTo(20_000);
    }
    assertThat(writers.taken().count()).isEqualTo(2_000);
    assertThat(drawnAgain(1_000, NOBODY, 2_000)).isEqualTo(ReturnedRow.Kind.GIVEN);
    for (int i = 0; i < 1_900; i++) {
      assertThat(drawnAgain(1 + i % 1_000, NOBODY, 1 + i)).isEqualTo(ReturnedRow.Kind.NOT_KEPT);
    }
  }

  @Test
  void a_start_over_the_bound_drops_answers_as_it_reads_and_keeps_every_number() {
    for (int i = 0; i < 2_000; i++) {
      drawn(1 + i % 1_000, NOBODY, 1 + i, 1_000);
    }
    limits = new WriterLimits.Share(10_000, 20_000);
    restart();
    Writers.Figures figures = writers.taken();
    assertThat(figures.answerBytes()).isLessThanOrEqualTo(20_000);
    assertThat(figures.count()).isEqualTo(2_000);
    assertThat(figures.dropped()).isGreaterThan(1_900);
    int given = 0;
    for (int i = 0; i < 2_000; i++) {
      given += drawnAgain(1 + i % 1_000, NOBODY, 1 + i) == ReturnedRow.Kind.GIVEN ? 1 : 0;
    }
    assertThat(given).isBetween(15, 20);
  }

  @Test
  void a_principal_with_many_answers_drops_its_own_and_none_of_another_principal() {
    limits = new WriterLimits.Share(10_000, 20_000);
    writers = restored();
    drawn(P, QUIET, 1, 1_000);
    for (int i = 2; i < 500; i++) {
      drawn(P + i, GREEDY, i, 1_000);
    }
    assertThat(drawnAgain(P, QUIET, 1)).isEqualTo(ReturnedRow.Kind.GIVEN);
  }

  @Test
  void writers_of_all_partitions_stay_below_one_bound_and_a_forgotten_writer_is_refused() {
    limits = new WriterLimits.Share(100, 20_000);
    writers = restored();
    drawn(P, QUIET, 1, 10);
    for (int i = 2; i <= 500; i++) {
      drawn(P + i, GREEDY, i, 10);
    }
    assertThat(writers.taken().count()).isEqualTo(100);
    assertThat(drawnAgain(P, QUIET, 1)).isEqualTo(ReturnedRow.Kind.GIVEN);
    assertThat(drawnAgain(P + 500, GREEDY, 500)).isEqualTo(ReturnedRow.Kind.GIVEN);
    assertThatThrownBy(() -> drawnAgain(P + 2, GREEDY, 2)).isInstanceOf(RefusedException.class);
    restart();
    assertThat(writers.taken().count()).isEqualTo(100);
    assertThatThrownBy(() -> drawnAgain(P + 2, GREEDY, 2)).isInstanceOf(RefusedException.class);
  }

  @Test
  void a_long_list_of_rejected_rows_is_dropped_as_well_and_its_repetition_is_refused() {
    List<Rejection> many = new ArrayList<>();
    for (int i = 0; i < 4_000; i += 2) {
      many.add(new Rejection(i, ErrorCode.CONDITION_FAILED));
    }
    limits = new WriterLimits.Share(100, 400);
    writers = restored();
    answered(1, 1, new WriteResult(4, 2_000, many));
    requireEnded(1, 1, 4_000);
    assertThat(repeated(1, 2, 1)).as("the next batch of the writer is new").isEmpty();
  }

  @Test
  void a_partition_that_is_gone_leaves_nothing() {
    answered(1, 1, new WriteResult(4, 1, List.of()));
    writers.drop(P);
    assertThat(writers.takeRaised()).isEmpty();
    assertThat(writers.taken().count()).isZero();
    assertThat(repeated(1, 1, 1)).isEmpty();
  }
}
