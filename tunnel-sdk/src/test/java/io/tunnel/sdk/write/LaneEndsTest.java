package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.metrics.SdkMeter;
import io.tunnel.sdk.write.LaneCore.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long rows of a lane linger, which bytes they hold, and when a flush has waited for them. */
final class LaneEndsTest {

  private static final RowCallback DEAF = (row, result) -> {};
  private static final int BATCH_BYTES_MAX = 400;
  private static final long LINGER_NANOS = 100;

  private long nowNanos = 1_000;
  private final ByteBudget budget = new ByteBudget(1 << 20);
  private final Lane lane =
      new Lane(
          1,
          new byte[0],
          FakeTable.meta().primaryKey(),
          new Lane.Settings(
              BATCH_BYTES_MAX,
              LINGER_NANOS,
              50,
              budget,
              () -> nowNanos,
              SdkMeter.NONE,
              Optional.empty()),
          Optional.empty());

  private Lane.Step add(long value) {
    return lane.add(WriterFixture.row(1, value), DEAF);
  }

  private static List<Long> values(Batch batch) {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < batch.rowCount(); i++) {
      values.add(((RowPutChange) batch.row(i)).columns().get(0).getValue().asLong());
    }
    return values;
  }

  private Batch sent(long... values) {
    for (long value : values) {
      add(value);
    }
    return lane.hurry().orElseThrow();
  }

  private boolean isFlushed() {
    return lane.ends().stream().allMatch(CompletableFuture::isDone);
  }

  @Test
  void the_first_row_of_a_batch_asks_for_a_timer_and_the_timer_sends_the_batch() {
    Lane.Step first = add(1);
    assertThat(first.wasAdded()).isTrue();
    assertThat(first.toSend()).isEmpty();
    assertThat(first.timerNanos()).isEqualTo(OptionalLong.of(LINGER_NANOS));
    nowNanos += 40;
    assertThat(add(2))
        .as("one timer for all")
        .isEqualTo(new Lane.Step(true, first.toSend(), OptionalLong.empty()));
    Lane.Step early = lane.lingered();
    assertThat(early.toSend()).isEmpty();
    assertThat(early.timerNanos()).isEqualTo(OptionalLong.of(LINGER_NANOS - 40));
    nowNanos += 59;
    assertThat(lane.lingered().timerNanos()).isEqualTo(OptionalLong.of(1));
    nowNanos += 1;
    Batch batch = lane.lingered().toSend().orElseThrow();
    assertThat(values(batch)).containsExactly(1L, 2L);
    assertThat(add(3).timerNanos()).as("a batch is in flight").isEmpty();
    Lane.Step next = lane.answered();
    assertThat(next.toSend()).isEmpty();
    assertThat(next.timerNanos()).isEqualTo(OptionalLong.of(LINGER_NANOS));
    nowNanos += 3 * LINGER_NANOS;
    assertThat(values(lane.lingered().toSend().orElseThrow())).containsExactly(3L);
    lane.move(Lane.Phase.CLOSED);
    assertThat(add(4).wasAdded()).isFalse();
    assertThat(lane.answered())
        .isEqualTo(new Lane.Step(true, Optional.empty(), OptionalLong.empty()));
  }

  @Test
  void a_batch_that_is_full_is_sent_without_its_timer_and_no_row_is_lost() {
    long next = 0;
    Optional<Batch> sent = Optional.empty();
    while (sent.isEmpty()) {
      sent = add(next++).toSend();
    }
    assertThat(sent.orElseThrow().encodedBytes()).isGreaterThanOrEqualTo(BATCH_BYTES_MAX);
    List<Long> all = new ArrayList<>(values(sent.orElseThrow()));
    while (next < 200) {
      assertThat(add(next++).toSend()).as("a batch is in flight").isEmpty();
    }
    lane.hurry();
    assertThat(lane.ends()).as("of many batches that wait").hasSizeGreaterThan(4);
    Optional<Batch> batch = lane.answered().toSend();
    while (batch.isPresent()) {
      assertThat(batch.get().rowCount()).isLessThan(40);
      all.addAll(values(batch.get()));
      batch = lane.answered().toSend().or(lane::hurry);
    }
    assertThat(all).hasSize(200).isSorted();
  }

  @Test
  void rows_that_belong_together_come_after_all_rows_that_were_added_before() {
    assertThat(add(1).toSend()).isEmpty();
    List<RowChange> together = List.of(WriterFixture.row(1, 2), WriterFixture.row(1, 3));
    Batch first = lane.addAtomic(together, List.of(DEAF, DEAF)).toSend().orElseThrow();
    assertThat(values(first)).containsExactly(1L);
    assertThat(lane.addAtomic(together, List.of(DEAF, DEAF)).toSend()).isEmpty();
    add(4);
    Batch second = lane.answered().toSend().orElseThrow();
    assertThat(values(second)).containsExactly(2L, 3L);
    assertThat(second.isAtomic()).isTrue();
  }

  @Test
  void halves_of_a_batch_hold_their_own_bytes() {
    Batch batch = sent(1, 2, 3, 4);
    add(5);
    long before = budget.used();
    assertThat(lane.failed(new LaneCore.Failure.Refused(ErrorCode.INVALID_REQUEST), batch))
        .isEqualTo(Verdict.SPLIT);
    Batch first = lane.hurry().orElseThrow();
    assertThat(values(first)).containsExactly(1L, 2L);
    long header = 2L * first.encodedBytes() - batch.encodedBytes();
    assertThat(budget.used()).isEqualTo(before + header);
    assertThat(lane.ends()).as("the head, the other half, and the growing one").hasSize(3);
  }

  @Test
  void what_is_left_of_a_batch_is_the_head_and_a_flush_waits_for_both_parts() {
    Batch batch = sent(1, 2, 3);
    Batch rest = lane.keep(batch, 1);
    assertThat(values(rest)).containsExactly(2L, 3L);
    assertThat(budget.used()).isEqualTo(rest.encodedBytes());
    assertThat(lane.head()).contains(rest);
    byte[] payload = new byte[rest.payload().remaining()];
    rest.payload().get(payload);
    assertThat(ChangeBatch.parse(payload, 0, payload.length).partition()).isEqualTo(1);
    lane.answered();
    assertThat(lane.ends()).hasSize(2);
    assertThat(isFlushed()).isFalse();
    for (int row = 0; row < 3; row++) {
      batch.counted(row).completed(batch.row(row), RowResult.applied(1, row));
    }
    assertThat(lane.ends()).as("the part that has ended is forgotten").hasSize(1);
    rest.done().complete(null);
    assertThat(lane.ends()).isEmpty();
  }

  @Test
  void progress_ends_the_count_of_failures() {
    Batch batch = sent(1, 2);
    assertThat(lane.failed(new LaneCore.Failure.Refused(ErrorCode.BUSY), batch))
        .isEqualTo(Verdict.RETRY);
    assertThat(lane.failures()).isEqualTo(1);
    lane.resend();
    Batch rest = lane.keep(batch, 1);
    assertThat(lane.failed(new LaneCore.Failure.Refused(ErrorCode.BUSY), rest))
        .isEqualTo(Verdict.RETRY);
    assertThat(lane.failures()).isEqualTo(1);
  }

  @Test
  void rows_that_waited_as_long_as_the_retries_of_a_batch_before_are_late() {
    Batch batch = sent(1);
    add(2);
    assertThat(lane.failed(new LaneCore.Failure.Refused(ErrorCode.BUSY), batch))
        .isEqualTo(Verdict.RETRY);
    lane.resend();
    nowNanos += 50;
    assertThat(lane.isLate(batch)).as("the retries have not ended").isFalse();
    assertThat(lane.failed(new LaneCore.Failure.Refused(ErrorCode.BUSY), batch))
        .isEqualTo(Verdict.GIVE_UP);
    assertThat(lane.ends()).as("a flush waits for the callbacks of the batch").hasSize(2);
    Batch next = lane.hurry().orElseThrow();
    assertThat(lane.isLate(next)).isTrue();
    assertThat(lane.ends()).as("those of the batch that was given up, too").hasSize(2);
  }

  @Test
  void a_lane_that_is_emptied_has_nothing_left() {
    Batch head = sent(1);
    List<RowChange> together = List.of(WriterFixture.row(1, 2));
    lane.addAtomic(together, List.of(DEAF));
    add(3);
    lane.move(Lane.Phase.CLOSED);
    assertThat(lane.failed(new LaneCore.Failure.Refused(ErrorCode.BUSY), head))
        .isEqualTo(Verdict.RETRY);
    assertThat(lane.takeAll())
        .extracting(LaneEndsTest::values)
        .containsExactly(List.of(1L), List.of(2L), List.of(3L));
    assertThat(lane.failures()).as("nothing is retried").isZero();
    assertThat(lane.takeAll()).isEmpty();
    assertThat(lane.ends()).isEmpty();
  }

  @Test
  void a_batch_that_no_map_could_place_is_waited_for_until_its_callbacks_have_returned() {
    Batch head = sent(1);
    assertThat(lane.failed(new LaneCore.Failure.Refused(ErrorCode.WRONG_PARTITION), head))
        .isEqualTo(Verdict.REROUTE);
    assertThat(lane.takeMisrouted()).contains(head);
    assertThat(lane.head()).isEmpty();
    assertThat(lane.ends()).containsExactly(head.done());
    assertThat(lane.takeMisrouted()).isEmpty();
  }

  /** A refusal ends a batch for good unless it is retriable, or leaves the outcome open. */
  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void a_refusal_is_of_the_batch_unless_the_service_is_in_trouble(ErrorCode code) {
    boolean isOfService =
        code.retriable()
            || code == ErrorCode.INTERNAL
            || code == ErrorCode.OUTCOME_UNKNOWN
            || code == ErrorCode.STORAGE_FAILED;
    assertThat(LaneCore.isOfBatch(code)).isEqualTo(!isOfService);
  }

  @Test
  void a_row_that_is_larger_than_a_batch_is_a_batch() {
    RowChange large =
        new RowPutChange(
            WriterFixture.row(1, 1).primaryKey(),
            List.of(new Column("v", ColumnValue.fromBinary(new byte[3 * BATCH_BYTES_MAX]))));
    add(1);
    Batch batch = lane.add(large, DEAF).toSend().orElseThrow();
    assertThat(batch.rowCount()).isEqualTo(2);
    assertThat(budget.used()).isEqualTo(batch.encodedBytes());
  }
}
