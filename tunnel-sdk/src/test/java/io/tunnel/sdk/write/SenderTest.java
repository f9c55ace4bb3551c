package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.metrics.SdkMeter;
import io.tunnel.sdk.transport.HandWorld;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of the rows of a batch by each kind of answer, and what the meter hears. */
final class SenderTest extends HandFixture {

  private final List<String> heard = new ArrayList<>();

  SenderTest() {
    meter =
        new SdkMeter() {
          @Override
          public void batchSent(int rows, long bytes) {
            heard.add("sent " + rows + (bytes > 0 ? "" : " without bytes"));
          }

          @Override
          public void batchOver(long nanos) {
            heard.add("over " + nanos / 1_000_000);
          }

          @Override
          public void rows(Outcome outcome, int count) {
            if (count != 0) {
              heard.add(outcome + " " + count);
            }
          }
        };
  }

  /** Has these rows wait, which then are one batch; returns the request of the batch. */
  private HandWorld.Request together(long... keys) {
    add(0);
    HandWorld.Request first = write("a:1");
    add(keys);
    apply(first);
    heard.clear();
    results.remove(0L);
    return write("a:1");
  }

  private static void answer(HandWorld.Request to, int applied, Rejection... rejections) {
    to.answer(new WriteResult(7, applied, List.of(rejections)).encode());
  }

  private static Rejection rejected(int row, ErrorCode code) {
    return new Rejection(row, code);
  }

  @Test
  void the_meter_hears_of_each_batch_and_row_with_its_time() {
    add(1);
    HandWorld.Request first = write("a:1");
    add(2, 3, 4);
    world.pass(30);
    apply(first);
    assertThat(heard).containsExactly("sent 1", "over 30", "APPLIED 1", "sent 3");
    heard.clear();
    world.pass(5);
    answer(
        write("a:1"),
        1,
        rejected(1, ErrorCode.CONDITION_FAILED),
        rejected(2, ErrorCode.ROW_TOO_LARGE));
    assertThat(heard).containsExactly("over 5", "APPLIED 1", "REJECTED 2");
    requireOutcome(Outcome.APPLIED, 2);
    requireOutcome(Outcome.REJECTED, 3, 4);
    assertThat(results.get(2L).position()).isEqualTo(7);
    heard.clear();
    add(1 + 4);
    write("b:1").drop();
    assertThat(heard).containsExactly("sent 1", "over 0", "IN_DOUBT 1");
  }

  @Test
  void rows_behind_those_that_a_node_could_write_are_sent_again_alone() {
    HandWorld.Request batch = together(1, 2, 3);
    answer(batch, 1, rejected(1, ErrorCode.NOT_LEADER), rejected(2, ErrorCode.NOT_LEADER));
    requireOutcome(Outcome.APPLIED, 1);
    assertThat(results).hasSize(1);
    assertThat(heard).startsWith("over 0", "APPLIED 1");
    assertThat(engine.flushing()).isNotDone();
    give(map(table, Optional.of("c:1"), Optional.of("b:1")));
    world.pass(PAUSE_MS);
    HandWorld.Request rest = write("c:1");
    assertThat(about(rest)).containsExactly(1, 2);
    apply(rest);
    requireApplied(1, 2, 3);
  }

  @Test
  void a_batch_of_which_no_row_was_written_is_sent_again_whole() {
    HandWorld.Request batch = together(1, 2);
    answer(batch, 0, rejected(0, ErrorCode.BUSY), rejected(1, ErrorCode.BUSY));
    assertThat(results).isEmpty();
    world.pass(PAUSE_MS);
    HandWorld.Request again = write("a:1");
    assertThat(about(again)).containsExactly(1, 2);
    apply(again);
    requireApplied(1, 2);
  }

  @Test
  void rows_of_a_batch_that_is_refused_for_one_of_them_are_sent_apart() {
    HandWorld.Request batch = together(1, 2);
    batch.refuse(ErrorCode.KEY_MISMATCH, Optional.empty());
    HandWorld.Request first = write("a:1");
    assertThat(about(first)).containsExactly(1, 1);
    first.refuse(ErrorCode.KEY_MISMATCH, Optional.empty());
    requireOutcome(Outcome.REJECTED, 1);
    apply(write("a:1"));
    requireApplied(2);
  }

  @Test
  void an_answer_that_is_not_of_the_batch_leaves_its_rows_in_doubt_and_the_lane_free() {
    HandWorld.Request batch = together(1, 2);
    batch.answer(new byte[] {1, 2, 3});
    requireOutcome(Outcome.IN_DOUBT, 1, 2);
    add(3);
    answer(write("a:1"), 2);
    requireOutcome(Outcome.IN_DOUBT, 3);
    add(4);
    answer(write("a:1"), 1, rejected(1, ErrorCode.CONDITION_FAILED));
    requireOutcome(Outcome.IN_DOUBT, 4);
    assertThat(heard).contains("IN_DOUBT 2", "IN_DOUBT 1");
    results.clear();
    add(1);
    apply(write("a:1"));
    requireApplied(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"INTERNAL", "STORAGE_FAILED", "OUTCOME_UNKNOWN"})
  void trouble_of_a_node_leaves_rows_without_a_number_in_doubt(ErrorCode code) {
    add(1);
    write("a:1").refuse(code, Optional.empty());
    requireOutcome(Outcome.IN_DOUBT, 1);
  }

  @Test
  void a_number_that_the_partition_has_forgotten_is_replaced_at_once() {
    openWithId();
    add(1);
    apply(write("a:1"));
    add(2);
    HandWorld.Request first = write("a:1");
    first.refuse(ErrorCode.WRITER_ENDED, Optional.empty());
    HandWorld.Request again = write("a:1");
    assertThat(again.frame().payload()).isNotEqualTo(first.frame().payload());
    apply(again);
    requireApplied(1, 2);
    assertThat(reads).isEqualTo(1);
  }

  @Test
  void a_batch_says_which_number_was_applied_before() {
    openWithId();
    List<byte[]> attributes = new ArrayList<>();
    for (long key = 1; key <= 2; key++) {
      add(key);
      HandWorld.Request request = write("a:1");
      attributes.add(
          WriteRequest.decode(request.frame().payload()).batch().attributes().toByteArray());
      apply(request);
    }
    Numbering numbers = new Numbering();
    var first = numbers.number(Optional.empty(), Optional.of(token().bytes()));
    numbers.applied(first.orElseThrow());
    var second = numbers.number(Optional.empty(), Optional.empty());
    assertThat(attributes.get(0)).isEqualTo(first.orElseThrow().attributes().toByteArray());
    assertThat(attributes.get(1)).isEqualTo(second.orElseThrow().attributes().toByteArray());
  }

  @Test
  void rows_that_waited_behind_retries_that_lasted_too_long_are_not_tried_as_long() {
    add(1);
    HandWorld.Request first = write("a:1");
    add(2);
    first.refuse(ErrorCode.BUSY, Optional.empty());
    world.pass(PAUSE_MS);
    HandWorld.Request last = write("a:1");
    world.pass(RETRY_MS);
    last.refuse(ErrorCode.BUSY, Optional.empty());
    requireOutcome(Outcome.NOT_SENT, 1, 2);
    assertThat(results.get(2L).message())
        .contains("the rows waited for longer than writeRetryDeadline");
    add(3);
    apply(write("home:1"));
    requireOutcome(Outcome.APPLIED, 3);
  }

  @Test
  void rows_linger_for_others_until_their_time_or_a_flush() {
    open(AT_ONCE.withLinger(Duration.ofMillis(100)));
    add(1);
    world.pass(99);
    add(2);
    assertThat(world.waiting()).isZero();
    world.pass(1);
    HandWorld.Request both = write("a:1");
    assertThat(about(both)).containsExactly(1, 2);
    apply(both);
    add(3, 6);
    assertThat(world.waiting()).isZero();
    CompletableFuture<Void> flushed = engine.flushing();
    apply(write("a:1"));
    assertThat(flushed).isNotDone();
    apply(write("b:1"));
    assertThat(flushed).isDone();
    add(4);
    world.pass(100);
    apply(write("a:1"));
    requireApplied(1, 2, 3, 4, 6);
  }

  @ParameterizedTest
  @EnumSource
  void each_batch_asks_for_the_durability_of_its_writer(Durability durability) {
    open(AT_ONCE.withDurability(durability));
    add(1, 6);
    for (String node : List.of("a:1", "b:1")) {
      HandWorld.Request write = write(node);
      assertThat(WriteRequest.decode(write.frame().payload()).durability()).contains(durability);
      apply(write);
    }
    requireApplied(1, 6);
  }

  @Test
  void a_batch_asks_for_the_durability_of_the_table_when_its_writer_has_none() {
    add(1);
    HandWorld.Request write = write("a:1");
    assertThat(WriteRequest.decode(write.frame().payload()).durability()).isEmpty();
    apply(write);
  }

  @Test
  void rows_that_exceed_the_bytes_of_a_batch_begin_another() {
    open(AT_ONCE.withLinger(Duration.ofHours(1)).withBatchBytesMax(1));
    add(1, 2);
    HandWorld.Request first = write("a:1");
    assertThat(about(first)).containsExactly(1, 1);
    apply(first);
    apply(write("a:1"));
    requireApplied(1, 2);
  }

  @Test
  void a_row_that_finds_the_buffer_nearly_full_lingers_and_its_bytes_are_counted() {
    open(AT_ONCE.withLinger(Duration.ofHours(1)));
    assertThat(engine.bufferedBytes()).isZero();
    add(1);
    long one = engine.bufferedBytes();
    assertThat(one).isPositive();
    add(2);
    assertThat(engine.bufferedBytes()).isGreaterThan(one);
    engine.hurry();
    apply(write("a:1"));
    requireApplied(1, 2);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_PERMITTED", "BUSY"})
  void without_an_id_rows_are_not_sent_and_a_lasting_refusal_is_the_rows_own(ErrorCode code) {
    id = CompletableFuture.failedFuture(new RefusedException(code, "as a test says"));
    open(AT_ONCE);
    add(1);
    assertThat(world.waiting()).isZero();
    if (code == ErrorCode.NOT_PERMITTED) {
      requireOutcome(Outcome.REJECTED, 1);
      assertThat(results.get(1L).error()).contains(code);
      return;
    }
    assertThat(results).isEmpty();
    for (long passed = 0; passed <= RETRY_MS; passed += PAUSE_MS) {
      world.pass(PAUSE_MS);
    }
    requireOutcome(Outcome.NOT_SENT, 1);
    assertThat(results.get(1L).message())
        .contains("the writer got no id, so the rows were not sent: as a test says");
  }

  @Test
  void a_writer_that_is_closed_takes_no_row_and_one_that_gave_up_sends_none() {
    engine.close();
    assertThatThrownBy(() -> add(1)).hasMessage("the writer is closed");
    assertThatThrownBy(() -> addTogether(1, 2)).hasMessage("the writer is closed");
    open(AT_ONCE);
    assertThatThrownBy(() -> engine.addAtomic(List.of(), List.of()))
        .hasMessage("an atomic batch has at least one row");
    addTogether(1, 2);
    apply(write("a:1"));
    requireApplied(1, 2);
    engine.abandon();
    assertThatThrownBy(() -> add(3)).hasMessage("the writer is closed");
    assertThat(world.waiting()).isZero();
  }
}
