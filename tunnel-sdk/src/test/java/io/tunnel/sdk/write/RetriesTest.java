package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.transport.HandWorld;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each way of a batch that was not applied, step by step. */
final class RetriesTest extends HandFixture {

  @Test
  void a_leader_that_a_refusal_names_gets_the_batch_at_once_and_all_later_ones() {
    add(1);
    write("a:1").refuse(ErrorCode.NOT_LEADER, Optional.of("c:1"));
    apply(write("c:1"));
    add(2);
    apply(write("c:1"));
    requireApplied(1, 2);
    assertThat(reads).isEqualTo(1);
  }

  @Test
  void nodes_that_name_each_other_are_asked_with_pauses() {
    add(1);
    write("a:1").refuse(ErrorCode.NOT_LEADER, Optional.of("c:1"));
    write("c:1").refuse(ErrorCode.NOT_LEADER, Optional.of("a:1"));
    assertThat(world.waiting()).isZero();
    world.pass(PAUSE_MS);
    write("a:1").refuse(ErrorCode.NOT_LEADER, Optional.of("a:1"));
    assertThat(world.waiting()).isZero();
    world.pass(PAUSE_MS);
    apply(write("a:1"));
    requireApplied(1);
    assertThat(reads).isEqualTo(1);
  }

  @Test
  void without_a_leader_the_map_is_read_once_for_all_who_wait_and_once_more_for_later_ones() {
    CompletableFuture<TableDescription> first = late();
    CompletableFuture<TableDescription> second = late();
    add(1, 6);
    write("a:1").refuse(ErrorCode.NOT_LEADER, Optional.empty());
    HandWorld.Request other = write("b:1");
    assertThat(reads).as("after a pause").isEqualTo(1);
    world.pass(PAUSE_MS);
    assertThat(reads).isEqualTo(2);
    other.refuse(ErrorCode.NOT_LEADER, Optional.empty());
    world.pass(PAUSE_MS);
    assertThat(reads).as("one read at a time").isEqualTo(2);
    first.complete(map(table, Optional.of("c:1"), Optional.of("d:1")));
    world.run();
    apply(write("c:1"));
    assertThat(world.waiting()).as("the map may be older than its refusal").isZero();
    assertThat(reads).isEqualTo(3);
    second.complete(map(table, Optional.of("c:1"), Optional.of("e:1")));
    world.run();
    apply(write("e:1"));
    requireApplied(1, 6);
  }

  @Test
  void without_a_leader_in_the_map_the_home_is_asked() {
    give(map(table, Optional.empty(), Optional.empty()));
    add(1);
    write("a:1").refuse(ErrorCode.NOT_LEADER, Optional.empty());
    world.pass(PAUSE_MS);
    apply(write("home:1"));
    requireApplied(1);
  }

  @Test
  void a_map_that_cannot_be_read_is_asked_for_again() {
    maps.add(CompletableFuture.failedFuture(new ConnectionException("nobody", true, null)));
    give(map(table, Optional.of("c:1"), Optional.of("d:1")));
    add(1);
    write("a:1").refuse(ErrorCode.NOT_LEADER, Optional.empty());
    world.pass(PAUSE_MS);
    write("a:1").refuse(ErrorCode.NOT_LEADER, Optional.empty());
    world.pass(PAUSE_MS);
    apply(write("c:1"));
    requireApplied(1);
    assertThat(reads).isEqualTo(3);
  }

  /** As where the map is made by a request, and there is no connection for one. */
  @Test
  void a_map_that_cannot_even_be_asked_for_is_a_map_that_cannot_be_read() {
    add(1);
    write("a:1").refuse(ErrorCode.NOT_LEADER, Optional.empty());
    world.pass(PAUSE_MS); // There is no map to remove.
    apply(write("a:1"));
    requireApplied(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"BUSY", "WRITER_ENDED", "FEATURE_NOT_ENABLED"})
  void a_leader_that_is_busy_stays_the_leader(ErrorCode code) {
    add(1);
    write("a:1").refuse(code, Optional.empty());
    if (code == ErrorCode.FEATURE_NOT_ENABLED) {
      requireOutcome(Outcome.REJECTED, 1);
      return;
    }
    world.pass(PAUSE_MS);
    apply(write("a:1"));
    requireApplied(1);
    assertThat(reads).as("who leads is known").isEqualTo(1);
  }

  @Test
  void pauses_grow_and_the_batch_behind_waits_for_the_batch_before() {
    add(1);
    HandWorld.Request first = write("a:1");
    add(2);
    first.refuse(ErrorCode.BUSY, Optional.empty());
    int attempts = 0;
    long passed = 0;
    while (passed < 5_000) {
      world.pass(1);
      passed++;
      if (world.waiting() > 0) {
        HandWorld.Request again = write("a:1");
        assertThat(about(again)).containsExactly(1, 1);
        again.refuse(ErrorCode.BUSY, Optional.empty());
        attempts++;
      }
    }
    assertThat(attempts).isBetween(10, 40);
    world.pass(PAUSE_MS);
    apply(write("a:1"));
    apply(write("a:1"));
    requireApplied(1, 2);
  }

  @Test
  void a_lost_leader_is_looked_for_and_a_batch_that_may_be_applied_is_in_doubt() {
    give(map(table, Optional.of("c:1"), Optional.of("b:1")));
    world.end("a:1");
    add(1);
    world.pass(PAUSE_MS);
    HandWorld.Request request = write("c:1");
    assertThat(reads).isEqualTo(2);
    request.drop();
    requireOutcome(Outcome.IN_DOUBT, 1);
    add(2);
    apply(write("home:1"));
    requireOutcome(Outcome.APPLIED, 2);
  }

  @Test
  void after_the_deadline_a_batch_is_given_up_and_the_next_one_asks_whom_the_refusal_names() {
    add(1);
    HandWorld.Request first = write("a:1");
    first.refuse(ErrorCode.BUSY, Optional.empty());
    world.pass(PAUSE_MS);
    HandWorld.Request last = write("a:1");
    world.pass(RETRY_MS - PAUSE_MS);
    last.refuse(ErrorCode.NOT_LEADER, Optional.of("c:1"));
    world.pass(PAUSE_MS);
    write("c:1").refuse(ErrorCode.NOT_LEADER, Optional.of("d:1"));
    requireOutcome(Outcome.NOT_SENT, 1);
    add(2);
    write("d:1").refuse(ErrorCode.NOT_LEADER, Optional.empty());
    requireOutcome(Outcome.NOT_SENT, 2);
    add(3);
    apply(write("home:1"));
    requireOutcome(Outcome.APPLIED, 3);
  }

  @Test
  void rows_that_move_ask_for_the_durability_of_their_writer() {
    open(AT_ONCE.withDurability(Durability.OS));
    CompletableFuture<TableDescription> map = late();
    add(1);
    write("a:1").refuse(ErrorCode.WRONG_PARTITION, Optional.empty());
    table = split;
    map.complete(map(split, Optional.of("c:1"), Optional.of("d:1")));
    world.run();
    HandWorld.Request moved = write("c:1");
    assertThat(WriteRequest.decode(moved.frame().payload()).durability()).contains(Durability.OS);
    apply(moved);
    requireApplied(1);
  }

  @Test
  void rows_of_a_partition_that_is_gone_move_in_their_order_when_nothing_is_in_flight() {
    add(1, 6);
    HandWorld.Request left = write("a:1");
    HandWorld.Request right = write("b:1");
    add(2, 3, 7);
    table = split;
    CompletableFuture<TableDescription> map = late();
    left.refuse(ErrorCode.WRONG_PARTITION, Optional.empty());
    assertThat(reads).as("at once").isEqualTo(2);
    CompletableFuture<Void> flushed = engine.flushing();
    map.complete(map(split, Optional.of("c:1"), Optional.of("d:1")));
    world.run();
    // A batch of the other partition is in flight, whose rows move, too.
    assertThat(world.waiting()).isZero();
    assertThat(flushed).isNotDone();
    right.refuse(ErrorCode.WRONG_PARTITION, Optional.empty());
    drain();
    requireApplied(1, 2, 3, 6, 7);
    assertThat(flushed).isDone();
    assertThat(split.valuesByKey().keySet()).containsExactlyInAnyOrder(1L, 2L, 3L, 6L, 7L);
    for (long key : new long[] {1, 2, 3}) {
      assertThat(results.get(key).partition()).isEqualTo(3);
    }
    assertThat(results.get(7L).partition()).isEqualTo(4);
  }

  /** Applies what comes, and refuses what came to the wrong partition. */
  private void drain() {
    for (int i = 0; i < 100; i++) {
      while (world.waiting() > 0) {
        HandWorld.Request request = world.next();
        WriteRequest write = WriteRequest.decode(request.frame().payload());
        Optional<ErrorCode> refusal = table.refusal(write);
        if (refusal.isPresent()) {
          give(map(table, Optional.of("c:1"), Optional.of("d:1")));
          request.refuse(refusal.get(), Optional.empty());
        } else {
          apply(request);
        }
      }
      world.pass(PAUSE_MS);
    }
  }

  @Test
  void a_map_that_is_older_than_the_refusal_is_read_again_after_a_pause() {
    give(map(table, Optional.of("a:1"), Optional.of("b:1")));
    add(1);
    write("a:1").refuse(ErrorCode.WRONG_PARTITION, Optional.empty());
    assertThat(reads).isEqualTo(2);
    write("a:1").refuse(ErrorCode.WRONG_PARTITION, Optional.empty());
    assertThat(reads).as("after a pause").isEqualTo(2);
    table = new FakeTable(1, 7, 5);
    give(map(table, Optional.of("c:1"), Optional.of("d:1")));
    world.pass(PAUSE_MS);
    assertThat(reads).isEqualTo(3);
    apply(write("c:1"));
    requireApplied(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"TABLE_NOT_FOUND", "BUSY"})
  void rows_of_a_table_that_has_no_map_end_and_the_lane_is_free(ErrorCode code) {
    maps.add(CompletableFuture.failedFuture(new RefusedException(code, "as a test says")));
    add(1);
    write("a:1").refuse(ErrorCode.TABLE_NOT_FOUND, Optional.empty());
    requireOutcome(code.retriable() ? Outcome.NOT_SENT : Outcome.REJECTED, 1);
    add(2);
    apply(write("a:1"));
    requireApplied(2);
  }

  @Test
  void a_map_that_makes_no_sense_keeps_no_row_waiting() {
    give(new TableDescription(1, FakeTable.meta(), 0, List.of()));
    add(1);
    write("a:1").refuse(ErrorCode.WRONG_PARTITION, Optional.empty());
    requireOutcome(Outcome.NOT_SENT, 1);
    add(2);
    apply(write("a:1"));
    requireApplied(2);
  }

  @Test
  void rows_that_belong_together_move_together_or_are_rejected_together() {
    CompletableFuture<TableDescription> map = late();
    add(0);
    HandWorld.Request head = write("a:1");
    addTogether(1, 2);
    addTogether(3, 4);
    head.refuse(ErrorCode.WRONG_PARTITION, Optional.empty());
    table = new FakeTable(1, 7, 4);
    map.complete(map(table, Optional.of("c:1"), Optional.of("d:1")));
    world.run();
    requireOutcome(Outcome.REJECTED, 3, 4);
    while (world.waiting() > 0) {
      HandWorld.Request request = world.next();
      assertThat(about(request).get(0)).isEqualTo(7);
      apply(request);
    }
    requireApplied(0, 1, 2);
  }

  @Test
  void rows_of_a_table_that_has_another_key_now_are_rejected() {
    TableDescription other = map(new FakeTable(1, 7, 5), Optional.empty(), Optional.empty());
    var key = List.of(new PrimaryKeySchema("name", PrimaryKeyType.STRING));
    give(new TableDescription(9, new TableMeta("t", key), 0, other.partitions()));
    add(1);
    write("a:1").refuse(ErrorCode.TABLE_NOT_FOUND, Optional.empty());
    requireOutcome(Outcome.REJECTED, 1);
    assertThat(results.get(1L).message()).contains("name");
    assertThat(engine.bufferedBytes()).isZero();
  }

  @Test
  void a_writer_that_gives_up_ends_what_waits_for_a_map_or_for_a_pause() {
    late();
    add(1, 6);
    write("a:1").refuse(ErrorCode.WRONG_PARTITION, Optional.empty());
    write("b:1").refuse(ErrorCode.BUSY, Optional.empty());
    engine.giveUp();
    world.run();
    requireOutcome(Outcome.NOT_SENT, 1, 6);
    assertThat(world.waiting()).isZero();
    assertThat(engine.bufferedBytes()).isZero();
    add(2);
    requireOutcome(Outcome.NOT_SENT, 2);
    assertThatThrownBy(
            () -> {
              engine.close();
              add(3);
            })
        .hasMessage("the writer is closed");
  }

  @Test
  void a_writer_that_stops_at_a_failure_sends_nothing_after_it() {
    open(AT_ONCE.stoppedByFailure());
    results.clear();
    add(1, 6);
    HandWorld.Request left = write("a:1");
    HandWorld.Request right = write("b:1");
    add(2, 7);
    left.drop();
    requireOutcome(Outcome.IN_DOUBT, 1);
    requireOutcome(Outcome.NOT_SENT, 2);
    apply(right);
    requireOutcome(Outcome.APPLIED, 6);
    requireOutcome(Outcome.NOT_SENT, 7);
    assertThat(world.waiting()).isZero();
  }

  @Test
  void a_batch_whose_answer_was_lost_is_repeated_as_it_was_and_later_ones_wait() {
    openWithId();
    add(1);
    HandWorld.Request first = write("a:1");
    add(2);
    give(map(table, Optional.of("c:1"), Optional.of("b:1")));
    first.drop();
    assertThat(results).isEmpty();
    world.pass(PAUSE_MS);
    HandWorld.Request again = write("c:1");
    assertThat(again.frame().payload()).isEqualTo(first.frame().payload());
    assertThat(world.waiting()).isZero();
    apply(again);
    apply(write("c:1"));
    requireApplied(1, 2);
  }

  @Test
  void a_batch_in_doubt_keeps_its_number_when_a_node_names_another_leader() {
    openWithId();
    add(1);
    HandWorld.Request first = write("a:1");
    give(map(table, Optional.of("c:1"), Optional.of("b:1")));
    first.drop();
    world.pass(PAUSE_MS);
    write("c:1").refuse(ErrorCode.NOT_LEADER, Optional.of("d:1"));
    world.pass(2 * PAUSE_MS);
    HandWorld.Request again = write("d:1");
    assertThat(again.frame().payload()).isEqualTo(first.frame().payload());
    apply(again);
    requireApplied(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"STORAGE_FAILED", "OUTCOME_UNKNOWN"})
  void a_node_that_does_not_know_is_left_and_the_next_leader_knows_whether_the_batch_counts(
      ErrorCode code) {
    openWithId();
    add(1);
    give(map(table, Optional.of("c:1"), Optional.of("b:1")));
    write("a:1").refuse(code, Optional.empty());
    world.pass(PAUSE_MS);
    apply(write("c:1"));
    requireApplied(1);
  }

  @Test
  void a_node_that_no_map_named_and_that_cannot_tell_a_batch_s_fate_is_asked_again() {
    openWithId();
    add(1);
    give(map(table, Optional.empty(), Optional.of("b:1")));
    write("a:1").refuse(ErrorCode.NOT_LEADER, Optional.empty());
    world.pass(PAUSE_MS);
    write("home:1").refuse(ErrorCode.STORAGE_FAILED, Optional.empty());
    world.pass(PAUSE_MS);
    apply(write("home:1"));
    requireApplied(1);
  }

  @Test
  void a_node_that_no_map_named_says_itself_that_the_outcome_is_unknown() {
    openWithId();
    add(1);
    write("a:1").refuse(ErrorCode.OUTCOME_UNKNOWN, Optional.empty());
    world.pass(PAUSE_MS);
    apply(write("a:1"));
    requireApplied(1);
  }

  @Test
  void of_partitions_that_are_gone_only_the_batch_in_doubt_is_in_doubt() {
    openWithId();
    add(1, 6);
    HandWorld.Request first = write("a:1");
    add(2);
    first.drop();
    table = new FakeTable(1, 7, 5);
    give(map(table, Optional.of("c:1"), Optional.of("d:1")));
    write("b:1").refuse(ErrorCode.WRONG_PARTITION, Optional.empty());
    requireOutcome(Outcome.IN_DOUBT, 1);
    assertThat(results.get(1L).message())
        .contains("the answer was lost, and the partition is gone");
    apply(write("c:1"));
    apply(write("d:1"));
    requireApplied(2, 6);
  }

  @Test
  void a_writer_whose_id_comes_late_waits_for_it_and_not_for_ever() {
    id = new CompletableFuture<>();
    give(map(table, Optional.of("a:1"), Optional.of("b:1")));
    CompletableFuture<WriteEngine> opening =
        WriteEngine.opening(
            world.nodes(client()), world.ticker(), service, AT_ONCE, Optional.empty());
    world.pass(1_999);
    assertThat(opening).isNotDone();
    world.pass(1);
    engine = opening.join();
    add(1);
    assertThat(world.waiting()).as("without an id").isZero();
    for (int passed = 0; passed < RETRY_MS + 5_000; passed += 2_500) {
      world.pass(2_500);
    }
    requireOutcome(Outcome.NOT_SENT, 1);
    assertThat(results.get(1L).message()).contains("no server gave an id in time");
    add(2, 6);
    id.complete(token());
    apply(write("home:1"));
    apply(write("b:1"));
    requireApplied(2, 6);
    world.pass(10_000);
    add(3);
    apply(write("home:1"));
    requireApplied(3);
  }

  @Test
  void a_writer_that_gives_up_waits_for_no_id() {
    id = new CompletableFuture<>();
    give(map(table, Optional.of("a:1"), Optional.of("b:1")));
    CompletableFuture<WriteEngine> opening =
        WriteEngine.opening(
            world.nodes(client()), world.ticker(), service, AT_ONCE, Optional.empty());
    world.pass(2_000);
    engine = opening.join();
    add(1);
    engine.giveUp();
    world.run();
    requireOutcome(Outcome.NOT_SENT, 1);
    assertThat(engine.bufferedBytes()).isZero();
  }
}
