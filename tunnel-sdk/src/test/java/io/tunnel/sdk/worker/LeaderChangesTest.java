package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.worker.WorkerFixture.Gate;
import org.junit.jupiter.api.Test;

/** The leader of a partition changes under its channel. */
final class LeaderChangesTest extends AttachedWorkerFixture {

  @Test
  void a_leader_that_says_who_follows_it_is_left_at_once() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.move(0, 2, true);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    assertThat(cluster.events()).contains("attach 0 at 2 from 5");
    assertThat(worker.status().lastError()).isEmpty();
    Waits.until("no link to spare", () -> cluster.node(1).connections().isEmpty());
  }

  @Test
  void a_leader_that_does_not_know_the_next_is_followed_by_way_of_the_session() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.move(0, 2, false);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    assertThat(cluster.events()).contains("attach 0 at 2 from 5");
  }

  @Test
  void a_channel_without_a_leader_waits_and_says_so_once() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1, 2), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.move(0, -1, false);
    int before = cluster.attempts();
    cluster.append(0, 4);
    cluster.append(1, 4);
    awaitAll(processor, 1); // The other channel goes on.
    Waits.until("some attempts", () -> cluster.attempts() > before + 3);
    assertThat(worker.status().lastError()).isPresent();
    assertThat(worker.status().lastError().get()).contains("p0_1").contains("not the leader");
    cluster.moveInSilence(0, 2);
    awaitAll(processor, 0);
    assertThat(heard).isEmpty();
  }

  @Test
  void a_lost_link_costs_neither_duplicates_nor_gaps() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1, 1, 2), processor);
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 3; i++) {
        cluster.append(i, 7);
      }
      if (round % 3 == 0) {
        cluster.node(1).dropAll();
      }
      if (round % 5 == 4) {
        cluster.moveInSilence(0, 1 + round % 2);
        cluster.node(1 + round / 5 % 2).dropAll();
      }
    }
    for (int i = 0; i < 3; i++) {
      awaitAll(processor, i);
    }
    assertThat(worker.status().counters().sessions()).isEqualTo(1);
    assertThat(heard).isEmpty();
  }

  @Test
  void a_dead_leader_is_left_for_its_successor() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.node(1).goAway();
    cluster.moveInSilence(0, 2);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    cluster.node(1).comeBack();
  }

  @Test
  void what_a_former_leader_still_says_is_dropped() {
    RecordingProcessor processor = new RecordingProcessor();
    start(streams(3, 1, 1), processor);
    cluster.append(0, 4);
    awaitAll(processor, 0);
    // Channel 1 keeps the former leader's connection open.
    cluster.moveWithLateDelivery(0, 2);
    cluster.append(0, 3);
    awaitAll(processor, 0);
    cluster.append(1, 3);
    awaitAll(processor, 1);
    assertThat(cluster.deliverer(0)).isEqualTo(2);
    assertThat(heard).isEmpty();
  }

  @Test
  void credit_is_the_same_at_every_leader() {
    Gate gate = new Gate();
    RecordingProcessor processor = new RecordingProcessor(input -> gate.hold());
    start(streams(3, 1), processor);
    Waits.until("the first credit", () -> cluster.credit(0) == CREDIT);
    cluster.append(0, 10);
    gate.awaitHolding();
    long left = cluster.credit(0);
    assertThat(left).isBetween(1L, CREDIT - 1L);
    cluster.move(0, 2, true);
    Waits.until("the same credit there", () -> cluster.credit(0) == left);
    assertThat(cluster.deliverer(0)).isEqualTo(2);
    gate.open();
    Waits.until("all credit", () -> cluster.credit(0) == CREDIT);
    for (int i = 0; i < 50; i++) {
      cluster.append(0, 20);
      if (i % 7 == 0) {
        cluster.move(0, 1 + i % 2, i % 3 == 0);
      }
    }
    awaitAll(processor, 0);
    Waits.until("all credit again", () -> cluster.credit(0) == CREDIT);
  }

  @Test
  void credit_that_was_overdrawn_is_not_given_again() {
    Gate gate = new Gate();
    RecordingProcessor processor = new RecordingProcessor(input -> gate.hold());
    start(streams(3, 1), processor);
    Waits.until("the first credit", () -> cluster.credit(0) == CREDIT);
    cluster.append(0, 400);
    gate.awaitHolding();
    assertThat(cluster.credit(0)).isNegative();
    cluster.move(0, 2, true);
    awaitEvent("attach 0 at 2 from 401");
    cluster.append(0, 3);
    assertThat(cluster.credit(0)).isZero();
    assertThat(processor.positions(0)).isEmpty();
    gate.open();
    awaitAll(processor, 0);
    Waits.until("all credit", () -> cluster.credit(0) == CREDIT);
  }
}
