package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendTail.End;
import io.tunnel.server.replica.append.LaneEvent.Follows;
import io.tunnel.server.replica.append.LaneEvent.Lost;
import io.tunnel.server.replica.append.LaneEvent.Said;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** What a lane does with the answers of the log and the events of its tail. */
class SharedLaneTest extends LaneFixture {

  @Test
  void a_leader_that_nobody_disturbs_is_given_no_record() {
    lead();
    assertThat(lane.standing()).isEqualTo(Standing.RESTS);
    int given = tail.given(PARTITION);
    for (int i = 0; i < 500; i++) {
      append();
      look();
      land();
      read();
      look();
      lane.tick(clock.nanos(), nodeMs);
    }
    assertThat(outcomes).hasSize(500).containsOnly(Outcome.COUNTS);
    assertThat(tail.given(PARTITION)).isEqualTo(given);
    assertThat(lane.standing()).isEqualTo(Standing.RESTS);
    assertThat(lane.state().proven().offset()).isGreaterThan(490);
    assertThat(events.stream().filter(Said.class::isInstance)).hasSize(500);
    // With the place of the marker.
    assertThat(events.stream().filter(Follows.class::isInstance)).hasSize(501);
  }

  @Test
  void an_append_and_a_look_say_up_to_when_the_lane_has_everything() {
    assertThat(lane.confirmedNanos()).isEmpty();
    lead();
    long before = clock.nanos();
    append();
    land();
    assertThat(lane.confirmedNanos()).hasValue(before + 1);
    look();
    long asked = nanos;
    assertThat(lane.confirmedNanos()).hasValue(asked);
    append();
    look();
    assertThat(lane.confirmedNanos()).as("nothing has landed").hasValue(nanos);
    claimByAnother();
    look();
    assertThat(lane.confirmedNanos().getAsLong()).as("the marker was not read").isLessThan(nanos);
  }

  @Test
  void an_end_beyond_the_next_record_wakes_a_leader_that_rests() {
    lead();
    assertThat(lane.ledEpoch()).isEqualTo(OptionalLong.of(marker()));
    claimByAnother();
    read();
    assertThat(lane.isLeading()).as("it rests").isTrue();
    look();
    assertThat(lane.standing()).isEqualTo(Standing.READS);
    read();
    assertThat(lane.isLeading()).isFalse();
    assertThat(lane.ledEpoch()).isEmpty();
    assertThat(lane.next()).isEqualTo(2);
  }

  @Test
  void an_acknowledgement_beyond_the_next_record_wakes_a_leader_that_rests() {
    lead();
    claimByAnother();
    append();
    land();
    assertThat(lane.standing()).isEqualTo(Standing.READS);
    assertThat(outcomes).isEmpty();
    read();
    assertThat(outcomes).containsExactly(Outcome.NEVER);
    assertThat(lane.ledEpoch()).isEmpty();
  }

  @Test
  void a_failed_append_is_settled_behind_the_next_claim() {
    lead();
    append();
    logs.failAll();
    post();
    assertThat(lane.isLeading()).isFalse();
    assertThat(lane.ledEpoch()).isEmpty();
    lead();
    assertThat(outcomes).containsExactly(Outcome.NEVER);
    assertThat(lane.standing()).isEqualTo(Standing.RESTS);
  }

  @Test
  void a_control_record_never_counts_without_the_lead_or_beside_another_one() {
    append();
    assertThat(outcomes).containsExactly(Outcome.NEVER);
    lead();
    append();
    append();
    assertThat(outcomes).containsExactly(Outcome.NEVER, Outcome.NEVER);
    land();
    assertThat(outcomes).containsExactly(Outcome.NEVER, Outcome.NEVER, Outcome.COUNTS);
    append();
    land();
    assertThat(outcomes).endsWith(Outcome.COUNTS);
  }

  @Test
  void a_restored_partition_begins_at_its_first_position() {
    LeadCore<Boolean> restore = new LeadCore<>(FollowState.NONE, 1);
    AppendHeader marker = restore.claim(logs.marker(), 1);
    logs.land(PARTITION, marker, new byte[0]);
    var unused = restore.read(0, marker);
    AppendHeader begin = restore.begin(1_000, made -> true);
    logs.land(PARTITION, begin, new AppendValue.Begin(5, 77).encode());
    read();
    assertThat(lane.state().follow().position()).isEqualTo(1_000);
    assertThat(lane.state().lastMicros()).isEqualTo(77);
    assertThat(lane.state().follow().hasBegun()).as("a change has counted").isFalse();
    lead();
    append();
    land();
    assertThat(lane.state().follow().hasBegun()).isTrue();
  }

  @Test
  void another_leader_of_the_log_ends_the_lead_until_all_is_read_back() {
    lead();
    append();
    land();
    append();
    logs.elect(PARTITION, 0);
    tail.ends(List.of(PARTITION));
    read();
    assertThat(lane.isLeading()).isFalse();
    assertThat(lane.ledEpoch()).isEmpty();
    assertThat(lane.confirmedNanos()).isEmpty();
    land();
    assertThat(outcomes).as("only reading settles").hasSize(1);
    read();
    assertThat(outcomes).containsExactly(Outcome.COUNTS, Outcome.COUNTS);
    lead();
    assertThat(lane.standing()).isEqualTo(Standing.RESTS);
    assertThat(lane.state().proven()).isEqualTo(new ReadBackCore.Proven(4, 1));
  }

  @Test
  void a_look_that_shows_another_leader_of_the_log_ends_the_lead() {
    lead();
    logs.elect(PARTITION, 0);
    lane.sawEnd(new End(1, 1), clock.nanos(), events);
    assertThat(lane.isLeading()).isFalse();
    assertThat(lane.standing()).isEqualTo(Standing.READS);
  }

  @Test
  void a_believed_record_that_the_log_has_lost_loses_the_replica() {
    lead();
    append();
    land();
    logs.elect(PARTITION, 1);
    claimByAnother();
    append();
    land();
    look();
    read();
    assertThat(lane.standing()).isEqualTo(Standing.LOST);
    assertThat(events).last().isInstanceOf(Lost.class);
    assertThat(lane.ledEpoch()).isEmpty();
    // The append landed where the lost record was followed: nobody can tell before the look.
    assertThat(outcomes).containsExactly(Outcome.COUNTS, Outcome.COUNTS);
    assertThat(lane.reason()).isPresent();
  }

  @Test
  void an_acknowledgement_below_the_next_record_loses_the_replica() {
    lead();
    append();
    land();
    logs.elect(PARTITION, 2);
    append();
    land();
    assertThat(outcomes).containsExactly(Outcome.COUNTS, Outcome.UNKNOWN);
    assertThat(lane.standing()).isEqualTo(Standing.LOST);
    assertThat(events).last().isInstanceOf(Lost.class);
  }

  @Test
  void a_restart_finds_out_that_the_log_lost_its_end_though_it_has_grown_again() {
    lead();
    append();
    land();
    look();
    lane.tick(clock.nanos(), nodeMs);
    look();
    SharedLane again = lane(LaneState.decode(lane.state().encode()));
    logs.elect(PARTITION, 1);
    claimByAnother();
    claimByAnother();
    lane = again;
    lane.begin();
    read();
    read();
    assertThat(lane.standing()).isEqualTo(Standing.LOST);
  }

  @Test
  void a_trimmed_log_loses_the_replica_and_a_newer_record_holds_it_back() {
    lead();
    append();
    lane.take(new AppendTail.HeldBack(PARTITION, 1, "a record of form 9"), events);
    assertThat(lane.standing()).isEqualTo(Standing.HELD_BACK);
    assertThat(lane.reason()).hasValueSatisfying(why -> assertThat(why).contains("form 9"));
    assertThat(lane.isLeading()).isFalse();
    assertThat(outcomes).containsExactly(Outcome.UNKNOWN);
    claimByAnother();
    read();
    assertThat(lane.next()).as("reads no more").isEqualTo(1);
    lane.begin();
    read();
    read();
    assertThat(lane.next()).isEqualTo(2);
    lane.take(new AppendTail.Trimmed(PARTITION, 2, 7), events);
    assertThat(lane.standing()).isEqualTo(Standing.LOST);
    assertThat(events).last().isInstanceOf(Lost.class);
  }

  @Test
  void events_of_an_earlier_visit_are_not_taken() {
    claimByAnother();
    tail.read(PARTITION, 100);
    // The record was read, and not told yet; then the log loses the record.
    logs.elect(PARTITION, 1);
    claimByAnother();
    lane.begin();
    for (int waiting = tail.waiting(); waiting > 0; waiting--) {
      lane.take(tail.next().orElseThrow(), events);
    }
    assertThat(lane.next()).isZero();
    read();
    assertThat(lane.next()).isEqualTo(1);
    assertThat(marker()).isZero();
    assertThat(lane.state().follow().stretches().get(0).marker()).isEqualTo(2);
  }

  @Test
  void a_record_with_batches_of_a_newer_build_asks_for_an_upgrade_and_is_not_folded() {
    lead();
    AppendHeader header =
        new AppendHeader(
            Kind.BATCHES,
            marker(),
            lane.state().follow().stretches().get(0).marker(),
            1,
            1,
            1,
            -1,
            Bytes.EMPTY);
    logs.land(PARTITION, header, batchOfFormat9());
    events.clear();
    lane.follow();
    read();
    read();
    assertThat(lane.standing()).isEqualTo(Standing.OUTDATED);
    assertThat(lane.standing().word(lane.role())).isEqualTo("OUTDATED");
    assertThat(lane.reason()).hasValueSatisfying(why -> assertThat(why).contains("of format 9"));
    assertThat(lane.isLeading()).isFalse();
    assertThat(events).isEmpty();
  }

  private static byte[] batchOfFormat9() {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.add(TestRows.put("k"));
    byte[] batch = builder.build(PARTITION, 1, 1);
    // The length, the checksum of all later bytes, and the format.
    batch[8] = 9;
    CRC32C crc = new CRC32C();
    crc.update(batch, 8, batch.length - 8);
    ByteBuffer.wrap(batch).putInt(4, (int) crc.getValue());
    return batch;
  }

  @Test
  void a_malformed_record_stops_the_lane_with_words() {
    lead();
    AppendHeader header =
        new AppendHeader(
            Kind.SNAPSHOT,
            marker(),
            lane.state().follow().stretches().get(0).marker(),
            1,
            1,
            0,
            -1,
            Bytes.EMPTY);
    append();
    logs.land(PARTITION, header, new byte[] {'{'});
    lane.follow();
    read();
    read();
    assertThat(lane.standing()).isEqualTo(Standing.FAILED);
    assertThat(lane.reason())
        .hasValueSatisfying(why -> assertThat(why).contains("partition 1", "offset 1"));
  }

  /** Both clocks of the node go on, and the clock of the log. */
  private void pass(long millis) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    nodeMs += millis;
    logMs += millis;
  }

  @Test
  void a_wall_clock_that_was_set_ends_the_lead_before_the_next_group() {
    lead();
    pass(60_000);
    nodeMs -= ClockGapCore.MS_MAX;
    assertThat(lane.mayAppend()).as("a small difference").isTrue();
    nodeMs += 2 * ClockGapCore.MS_MAX + 1;
    assertThat(lane.mayAppend()).isFalse();
    assertThat(lane.ledEpoch()).isEmpty();
    long records = logs.size(PARTITION);
    lead();
    assertThat(logs.size(PARTITION)).as("no claim").isEqualTo(records);
    // The wall clock is right now, and was wrong before.
    logMs = nodeMs;
    pass(TimeUnit.NANOSECONDS.toMillis(LaneClock.PAUSE_NANOS));
    lane.tick(clock.nanos(), nodeMs);
    land();
    lead();
    assertThat(lane.mayAppend()).isTrue();
    nodeMs -= ClockGapCore.MS_MAX + 1;
    lane.tick(clock.nanos(), nodeMs);
    assertThat(lane.isLeading()).as("behind, without a group").isFalse();
  }

  @Test
  void a_node_whose_clock_is_off_gives_up_the_lead_until_it_is_right() {
    nodeMs += ClockGapCore.MS_MAX;
    lead();
    assertThat(lane.isLeading()).as("a small difference").isTrue();
    nodeMs++;
    append();
    land();
    assertThat(outcomes).containsExactly(Outcome.COUNTS);
    assertThat(lane.isLeading()).isFalse();
    long records = logs.size(PARTITION);
    lead();
    assertThat(logs.size(PARTITION)).as("no claim").isEqualTo(records);
    nanos += LaneClock.PAUSE_NANOS;
    lane.tick(clock.nanos(), nodeMs);
    land();
    lead();
    assertThat(lane.isLeading()).isFalse();
    assertThat(logs.size(PARTITION)).as("one question").isEqualTo(records + 1);
    nodeMs = logMs - ClockGapCore.MS_MAX;
    nanos += LaneClock.PAUSE_NANOS;
    lane.tick(clock.nanos(), nodeMs);
    land();
    lead();
    assertThat(lane.isLeading()).isTrue();
    assertThat(lane.state().follow().position()).as("the questions count for nobody").isEqualTo(1);
    logMs = nodeMs + ClockGapCore.MS_MAX + 1;
    append();
    land();
    assertThat(lane.isLeading()).as("behind").isFalse();
  }

  @Test
  void a_leader_that_believed_much_looks_at_the_log_by_itself() {
    lead();
    lane.tick(clock.nanos(), nodeMs);
    for (long i = 0; i < LaneTail.BELIEVED_BYTES_MAX / LaneTail.RECORD_BYTES; i++) {
      append();
      land();
    }
    long next = lane.next();
    assertThat(lane.state().proven().offset()).isGreaterThan(next - next / 50);
    assertThat(lane.standing()).isEqualTo(Standing.RESTS);
  }

  @Test
  void a_lane_that_ends_tells_that_the_fate_of_its_appends_is_unknown() {
    lead();
    append();
    lane.end(events);
    assertThat(outcomes).containsExactly(Outcome.UNKNOWN);
    assertThat(lane.standing()).isEqualTo(Standing.ENDED);
    land();
    read();
    assertThat(lane.ledEpoch()).isEmpty();
    append();
    assertThat(outcomes).containsExactly(Outcome.UNKNOWN, Outcome.NEVER);
  }

  @Test
  void a_record_that_no_leader_wrote_is_passed_over() {
    lead();
    lane.follow();
    read();
    lane.take(new AppendTail.Read(PARTITION, 1, List.of(), 2, 0), events);
    assertThat(lane.next()).isEqualTo(2);
    assertThat(lane.state().proven()).isEqualTo(new ReadBackCore.Proven(2, AppendTail.NO_EPOCH));
  }
}
