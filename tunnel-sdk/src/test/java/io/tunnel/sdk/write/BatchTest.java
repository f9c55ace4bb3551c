package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.SessionProof;
import io.tunnel.model.Limits;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.wire.WriterToken;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A batch at its limits, in its bytes, and with its callbacks. */
final class BatchTest {

  private static final RowCallback DEAF = (row, result) -> {};
  private static final SessionProof SESSION =
      new SessionProof(7, Bytes.copyOf(new byte[SessionProof.SECRET_BYTES]));

  private static Batch.Form form(Optional<SessionProof> session) {
    return new Batch.Form(FakeTable.meta().primaryKey(), session);
  }

  private static Batch batch(Optional<SessionProof> session) {
    return new Batch(form(session), new Batch.Size(1, 16), Optional.empty(), 5);
  }

  private static Batch atomic() {
    return Batch.atomic(form(Optional.empty()), Optional.empty(), 5);
  }

  private static List<RowChange> rows(int count) {
    return LongStream.range(0, count).<RowChange>mapToObj(i -> WriterFixture.row(i, i)).toList();
  }

  private static RowChange large(int bytes) {
    return new RowPutChange(
        WriterFixture.row(1, 1).primaryKey(),
        List.of(new Column("v", ColumnValue.fromBinary(new byte[bytes]))));
  }

  private static ChangeBatch parsed(Batch batch) {
    ByteBuffer payload = batch.payload();
    byte[] array = new byte[payload.remaining()];
    payload.get(array);
    return ChangeBatch.parse(array, 0, array.length);
  }

  @Test
  void an_atomic_batch_has_a_thousand_rows_and_not_one_more() {
    int most = Limits.ATOMIC_ROWS_MAX;
    Batch full = atomic();
    full.addAll(rows(most), Collections.nCopies(most, DEAF));
    assertThat(full.rowCount()).isEqualTo(most);
    assertThat(full.add(WriterFixture.row(1, 1), DEAF)).isEqualTo(-1);
    assertThatThrownBy(() -> atomic().addAll(rows(most + 1), Collections.nCopies(most + 1, DEAF)))
        .hasMessage(
            "an atomic batch has at most 1000 rows and 1048576 bytes; row 1000 of 1001 is one too"
                + " many");
    Batch other = batch(Optional.empty());
    rows(most + 1).forEach(row -> assertThat(other.add(row, DEAF)).isPositive());
  }

  @Test
  void an_atomic_batch_has_a_mebibyte_and_another_batch_more() {
    RowChange row = large(Limits.ATOMIC_BYTES_MAX / 2);
    Batch atomic = atomic();
    assertThat(atomic.add(row, DEAF)).isPositive();
    assertThat(atomic.add(row, DEAF)).isEqualTo(-1);
    assertThat(atomic.rowCount()).isEqualTo(1);
    Batch other = batch(Optional.empty());
    assertThat(other.add(row, DEAF)).isPositive();
    assertThat(other.add(row, DEAF)).isPositive();
  }

  @Test
  void the_bytes_of_the_rows_are_those_of_the_batch() {
    Batch batch = batch(Optional.empty());
    assertThat(batch.encodedBytes()).isZero();
    int sum = 0;
    for (RowChange row : rows(20)) {
      int bytes = batch.add(row, DEAF);
      assertThat(bytes).isPositive();
      sum += bytes;
      assertThat(batch.encodedBytes()).isEqualTo(sum);
    }
    batch.close(3);
    ChangeBatch sent = parsed(batch);
    assertThat(sent.byteCount()).isEqualTo(sum);
    assertThat(sent.partition()).isEqualTo(3);
    assertThat(sent.rowCount()).isEqualTo(20);
    assertThat(parsed(batch).byteCount()).as("again").isEqualTo(sum);
  }

  @Test
  void a_batch_says_whether_its_rows_belong_together_who_wrote_it_and_whose_rows_they_are() {
    Batch plain = batch(Optional.empty());
    plain.add(WriterFixture.row(1, 1), DEAF);
    plain.close(1);
    assertThat(parsed(plain).hasAttributes()).isFalse();

    Batch together = atomic();
    together.add(WriterFixture.row(1, 1), DEAF);
    together.close(1);
    assertThat(together.isAtomic()).isTrue();
    assertThat(parsed(together).isAtomic()).isTrue();

    Batch bound = batch(Optional.of(SESSION));
    bound.add(WriterFixture.row(1, 1), DEAF);
    bound.close(1);
    assertThat(bound.isAtomic()).isFalse();
    assertThat(SessionProof.of(parsed(bound))).contains(SESSION);
    RowCursor row = parsed(bound).rows();
    assertThat(row.next()).isTrue();
    assertThat(row.session()).contains(SESSION.session());
  }

  @Test
  void a_batch_has_another_number_in_another_array_and_none_while_it_is_in_doubt() {
    WriterToken token = WriterToken.of(5, Bytes.copyOf(new byte[WriterToken.SECRET_BYTES]));
    Numbering numbering = new Numbering();
    assertThat(numbering.hasWriter()).isFalse();
    Batch batch = atomic();
    batch.add(WriterFixture.row(1, 1), DEAF);
    batch.close(1);
    var first = numbering.number(Optional.empty(), Optional.of(token.bytes()));
    assertThat(numbering.hasWriter()).isTrue();
    Batch plain = batch(Optional.empty());
    plain.add(WriterFixture.row(1, 1), DEAF);
    plain.close(1);
    plain.writtenBy(first);
    assertThat(parsed(plain).attributes()).isEqualTo(first.orElseThrow().attributes());
    batch.writtenBy(first);
    ByteBuffer sent = batch.payload();
    byte[] before = new byte[sent.remaining()];
    sent.duplicate().get(before);
    Bytes attributes = parsed(batch).attributes();
    var second = numbering.number(Optional.empty(), Optional.empty());
    batch.writtenBy(second);
    assertThat(parsed(batch).isAtomic()).isTrue();
    assertThat(parsed(batch).attributes()).isNotEqualTo(attributes);
    byte[] after = new byte[sent.remaining()];
    sent.duplicate().get(after);
    assertThat(after).as("bytes that may be on their way").isEqualTo(before);
    assertThat(batch.isInDoubt()).isFalse();
    batch.doubt();
    assertThat(batch.isInDoubt()).isTrue();
    batch.writtenBy(second);
    assertThatThrownBy(() -> batch.writtenBy(first))
        .hasMessage("a batch in doubt would get another number");
  }

  @Test
  void a_batch_whose_rows_end_apart_is_done_with_the_last_of_their_callbacks() {
    Batch batch = batch(Optional.empty());
    List<Long> told = new ArrayList<>();
    batch.add(WriterFixture.row(1, 1), (row, result) -> told.add(result.position()));
    batch.add(
        WriterFixture.row(2, 2),
        (row, result) -> {
          throw new IllegalStateException("as a test says");
        });
    batch.counted(0).completed(batch.row(0), RowResult.applied(1, 9));
    assertThat(told).containsExactly(9L);
    assertThat(batch.done()).isNotDone();
    assertThatThrownBy(() -> batch.counted(1).completed(batch.row(1), RowResult.applied(1, 10)))
        .hasMessage("as a test says");
    assertThat(batch.done()).isDone();
  }

  @Test
  void a_batch_is_settled_once_and_due_when_it_is_said() {
    Batch batch = batch(Optional.empty());
    assertThat(batch.startedNanos()).isEqualTo(5);
    assertThat(batch.isDue()).isFalse();
    batch.makeDue();
    assertThat(batch.isDue()).isTrue();
    assertThat(batch.settle()).isTrue();
    assertThat(batch.settle()).isFalse();
  }

  @Test
  void refusals_as_sent_to_the_wrong_partition_are_counted_from_the_first() {
    Batch batch = batch(Optional.empty());
    assertThat(batch.misrouted()).isEmpty();
    batch.misroutedAt(100);
    batch.misroutedAt(900);
    assertThat(batch.misrouted().orElseThrow().times()).isEqualTo(2);
    assertThat(batch.misrouted().orElseThrow().sinceNanos()).isEqualTo(100);
  }
}
