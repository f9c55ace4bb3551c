package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.replica.append.LaneEvent.Lost;
import io.tunnel.server.replica.append.LaneEvent.Said;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import org.junit.jupiter.api.Test;

/** Appends whose fate stays open beyond the deadline. */
class LaneDeadlineTest extends LaneFixture {

  @Test
  void a_lost_append_is_in_doubt_after_the_deadline_and_not_before() {
    lead();
    append();
    logs.failAll();
    post();
    lane.expire(nanos, events);
    assertThat(outcomes).isEmpty();
    passDeadline();
    lane.expire(nanos, events);
    assertThat(outcomes).containsExactly(Outcome.UNKNOWN);
    assertThat(lane.standing()).as("reads on").isEqualTo(Standing.READS);
    assertThat(events).noneMatch(Lost.class::isInstance);
    lead();
    append();
    land();
    assertThat(outcomes).as("told once").containsExactly(Outcome.UNKNOWN, Outcome.COUNTS);
  }

  @Test
  void an_append_that_was_given_up_and_counts_is_adopted_like_one_of_another_node() {
    lead();
    append();
    passDeadline();
    append();
    lane.expire(nanos, events);
    assertThat(outcomes).containsExactly(Outcome.NEVER, Outcome.UNKNOWN);
    assertThat(lane.isLeading()).as("the number of the append is not given again").isFalse();
    land();
    read();
    read();
    assertThat(events.stream().filter(Said.class::isInstance)).hasSize(1);
    assertThat(lane.next()).isEqualTo(2);
    lead();
    append();
    land();
    assertThat(outcomes).containsExactly(Outcome.NEVER, Outcome.UNKNOWN, Outcome.COUNTS);
  }

  @Test
  void a_late_acknowledgement_of_an_append_that_was_given_up_is_not_believed() {
    lead();
    append();
    passDeadline();
    lane.expire(nanos, events);
    logs.land(true);
    lane.lead(clock.nanos());
    nanos += 1_000;
    lane.tick(clock.nanos(), nodeMs);
    post();
    assertThat(outcomes).containsExactly(Outcome.UNKNOWN);
    assertThat(lane.isLeading()).isFalse();
    land();
    read();
    read();
    assertThat(lane.isLeading()).isTrue();
    assertThat(lane.next()).isEqualTo(3);
  }
}
