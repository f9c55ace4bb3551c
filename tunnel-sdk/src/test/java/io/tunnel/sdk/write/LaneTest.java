package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.WriterNumber;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.metrics.SdkMeter;
import io.tunnel.sdk.write.LaneCore.Failure;
import io.tunnel.sdk.write.LaneCore.Verdict;
import io.tunnel.wire.WriterToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The order of a lane's rows, with another thread between any two calls of the event loop. */
class LaneTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
  private static final RowCallback DEAF = (row, result) -> {};
  private static final Failure INVALID = new Failure.Refused(ErrorCode.INVALID_REQUEST);
  private static final Failure BUSY = new Failure.Refused(ErrorCode.BUSY);
  private static final long RETRY_NANOS = 1_000_000;

  private long nowNanos;
  private final Lane.Settings settings =
      new Lane.Settings(
          64 << 10,
          0,
          RETRY_NANOS,
          new ByteBudget(1 << 20),
          () -> nowNanos,
          SdkMeter.NONE,
          Optional.empty());
  private final Lane lane = lane();

  private Lane lane() {
    return new Lane(1, new byte[0], SCHEMA, settings, Optional.empty());
  }

  private Optional<Batch> add(long from, long to) {
    Optional<Batch> toSend = Optional.empty();
    for (long value = from; value < to; value++) {
      toSend = toSend.or(lane.add(WriterFixture.row(1, value), DEAF)::toSend);
    }
    return toSend;
  }

  private static List<Long> values(Batch batch) {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < batch.rowCount(); i++) {
      ColumnValue value = ((RowPutChange) batch.row(i)).columns().get(0).getValue();
      values.add(value.asLong());
    }
    return values;
  }

  @Test
  void whoever_sends_next_after_a_batch_was_split_sends_its_first_half() {
    add(0, 1);
    add(1, 5);
    Batch head = lane.answered().toSend().orElseThrow();
    assertThat(values(head)).containsExactly(1L, 2L, 3L, 4L);
    add(5, 6);
    assertThat(lane.failed(INVALID, head)).isEqualTo(Verdict.SPLIT);
    // Another thread, before the event loop comes back to the lane.
    Batch next = lane.hurry().orElseThrow();
    assertThat(values(next)).containsExactly(1L, 2L);
    assertThat(lane.proceed().toSend()).as("one batch is under way").isEmpty();
    assertThat(values(lane.answered().toSend().orElseThrow())).containsExactly(3L, 4L);
    assertThat(values(lane.answered().toSend().orElseThrow())).containsExactly(5L);
  }

  private static Bytes secret(int id) {
    byte[] secret = new byte[WriterToken.SECRET_BYTES];
    secret[0] = (byte) id;
    return Bytes.copyOf(secret);
  }

  private static WriterToken token(int id) {
    return WriterToken.of(5, secret(id));
  }

  /** Numbers and answers one batch more. */
  private WriterNumber numbered(WriterToken offered) {
    Batch batch = add(0, 1).orElseThrow();
    lane.number(batch, Optional.of(offered.bytes()));
    lane.applied(batch);
    assertThat(lane.answered().toSend()).isEmpty();
    return batch.writer().orElseThrow();
  }

  @Test
  void numbers_rise_whatever_becomes_of_the_date_and_follow_nothing_behind_a_refusal() {
    WriterToken first = token(1);
    assertThat(numbered(first)).isEqualTo(new WriterNumber(first.bytes(), 1, 0));
    assertThat(numbered(token(2))).isEqualTo(new WriterNumber(first.bytes(), 2, 1));
    Batch refused = add(0, 1).orElseThrow();
    lane.number(refused, Optional.empty());
    lane.ended(refused, 77);
    assertThat(lane.failed(BUSY, refused)).isEqualTo(Verdict.RETRY);
    assertThat(lane.resend()).contains(refused);
    lane.number(refused, Optional.empty());
    Bytes dated = first.dated(77).bytes();
    assertThat(refused.writer()).contains(new WriterNumber(dated, 4, 0));
    lane.number(refused, Optional.empty());
    assertThat(refused.writer()).as("sent again").contains(new WriterNumber(dated, 4, 0));
    lane.applied(refused);
    lane.answered();
    assertThat(numbered(token(3))).isEqualTo(new WriterNumber(dated, 5, 4));
  }

  @Test
  void a_head_that_is_dropped_frees_the_lane_in_whatever_state_it_is() {
    add(0, 1);
    add(1, 2);
    Batch head = lane.head().orElseThrow();
    assertThat(lane.failed(BUSY, head)).isEqualTo(Verdict.RETRY);
    lane.drop(head);
    Batch next = lane.proceed().toSend().orElseThrow();
    assertThat(values(next)).containsExactly(1L);
    lane.drop(head);
    assertThat(lane.head()).as("another head stays").contains(next);
    lane.drop(next);
    assertThat(lane.ends()).as("whoever flushes waits for their callbacks").hasSize(2);
  }

  @Test
  void a_flush_waits_for_both_halves_of_a_batch_that_was_split() {
    add(0, 1);
    add(1, 5);
    Batch head = lane.answered().toSend().orElseThrow();
    lane.failed(INVALID, head);
    assertThat(lane.ends()).as("the batch that was answered first, and both halves").hasSize(3);
    assertThat(settings.budget().used()).isPositive();
  }

  /** A row of 200 columns, of which {@code bytes} bytes in two long ones. */
  private static RowPutChange wide(long key, String prefix, int bytes) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < 198; i++) {
      columns.add(new Column(prefix + i, ColumnValue.fromLong(i)));
    }
    int first = bytes / 2;
    columns.add(new Column(prefix + "x", ColumnValue.fromBinary(new byte[first])));
    columns.add(new Column(prefix + "y", ColumnValue.fromBinary(new byte[bytes - first])));
    return new RowPutChange(WriterFixture.row(key, 0).primaryKey(), columns);
  }

  /** A row that fits an empty batch, and with 64 bytes more does not. */
  private static RowPutChange largest() {
    for (int bytes = Limits.ROW_BYTES_MAX; true; bytes -= 64) {
      RowPutChange row = wide(2, "b", bytes);
      try {
        assertThat(new BatchBuilder(SCHEMA, 1_024).add(row)).isTrue();
        return row;
      } catch (IllegalArgumentException e) {
        assertThat(bytes).as(e.getMessage()).isGreaterThan(Limits.ROW_BYTES_MAX - 10_000);
      }
    }
  }

  @Test
  void the_largest_row_is_taken_whatever_names_the_rows_before_it_have() {
    Lane.Settings large =
        new Lane.Settings(
            5 << 20,
            0,
            RETRY_NANOS,
            new ByteBudget(1 << 24),
            () -> nowNanos,
            SdkMeter.NONE,
            Optional.empty());
    Lane roomy = new Lane(1, new byte[0], SCHEMA, large, Optional.empty());
    roomy.add(WriterFixture.row(1, 0), DEAF);
    assertThat(roomy.add(wide(1, "a", 10), DEAF).wasAdded()).isTrue();
    RowPutChange largest = largest();
    assertThat(roomy.add(largest, DEAF).wasAdded()).isTrue();
    assertThat(roomy.answered().toSend().orElseThrow().rowCount()).isEqualTo(1);
    assertThat(roomy.answered().toSend().orElseThrow().row(0)).isSameAs(largest);
    assertThatThrownBy(() -> roomy.add(wide(3, "c", Limits.ROW_BYTES_MAX), DEAF))
        .as("in a batch of its own")
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes or more");
  }

  /** Every call of the event loop is followed by calls of a thread that adds and hurries. */
  @Test
  void rows_are_applied_in_the_order_in_which_they_were_added_whoever_sends_them() {
    for (long seed = 0; seed < 3_000; seed++) {
      new Story(seed).run();
    }
  }

  /** A lane whose server refuses, delays, splits and applies in part at random. */
  private final class Story {
    private final long seed;
    private final Random random;
    private final Lane lane = lane();
    private final List<Long> applied = new ArrayList<>();
    private Optional<Batch> underWay = Optional.empty();
    private long added;

    Story(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    void run() {
      for (int step = 0; step < 60; step++) {
        otherThread();
        underWay.ifPresentOrElse(this::serve, this::resume);
        nowNanos += random.nextInt(100);
      }
      for (long left = 10 * added; applied.size() < added && left > 0; left--) {
        underWay.ifPresentOrElse(this::apply, this::resume);
        sent(lane.hurry());
      }
      assertThat(applied)
          .as("seed %d", seed)
          .isEqualTo(LongStream.range(0, added).boxed().toList());
    }

    private void sent(Optional<Batch> batch) {
      if (batch.isPresent()) {
        assertThat(underWay).as("one batch is under way, seed %d", seed).isEmpty();
        underWay = batch;
      }
    }

    private void otherThread() {
      for (int rows = random.nextInt(4); rows > 0; rows--) {
        sent(lane.add(WriterFixture.row(1, added), DEAF).toSend());
        added++;
      }
      if (random.nextBoolean()) {
        sent(lane.hurry());
      }
    }

    private void resume() {
      sent(lane.resend());
    }

    private void apply(Batch batch) {
      applied.addAll(values(batch));
      underWay = Optional.empty();
      sent(lane.answered().toSend());
    }

    private void serve(Batch batch) {
      switch (random.nextInt(4)) {
        case 0 -> failed(batch, BUSY);
        case 1 -> {
          if (batch.rowCount() > 1) {
            failed(batch, INVALID);
          }
        }
        case 2 -> {
          if (batch.rowCount() > 1) {
            int told = 1 + random.nextInt(batch.rowCount() - 1);
            applied.addAll(values(batch).subList(0, told));
            Batch rest = lane.keep(batch, told);
            otherThread();
            failed(rest, BUSY);
          }
        }
        default -> apply(batch);
      }
    }

    private void failed(Batch batch, Failure failure) {
      underWay = Optional.empty();
      Verdict verdict = lane.failed(failure, batch);
      otherThread();
      if (verdict == Verdict.SPLIT) {
        sent(lane.proceed().toSend());
      } else {
        assertThat(verdict).isEqualTo(Verdict.RETRY);
      }
    }
  }
}
