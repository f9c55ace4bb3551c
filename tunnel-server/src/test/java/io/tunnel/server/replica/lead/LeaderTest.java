package io.tunnel.server.replica.lead;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.FakeReplicaRows;
import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.ReplicaCore.Role;
import io.tunnel.server.replica.shared.ReplicaState;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a leader is, step by step; what becomes of its writes is in the tests of the shard. */
final class LeaderTest {

  private static final Bytes FOREIGN = Bytes.fromHex("ff");
  private static final Bytes KEY = Bytes.fromHex("aa");
  private final RefusedException notLeader =
      RefusedException.notLeader("another leads", Optional.empty());
  private static final ReplicaConfig CONFIG = ReplicaConfig.DEFAULT;
  private static final long PAUSE_NANOS =
      TimeUnit.MILLISECONDS.toNanos(CONFIG.times().claimPauseMs());

  private final ReplicaCore core = new ReplicaCore(ReplicaState.EMPTY);
  private final List<Bytes> claims = new ArrayList<>();
  private final Leader leader =
      new Leader(
          1, core, new FakeReplicaRows(new Random(1)), TestNumbers.of(1), new Port(), CONFIG);
  private long now = 1;

  /** Appends nothing, and keeps the values of markers. */
  private final class Port implements Leader.Port {
    @Override
    public void append(int partition, long number, List<Entry> entries) {
      assertThat(number).isEqualTo(claims.size());
      assertThat(entries).extracting(Entry::kind).containsExactly(Kind.MARKER);
    }

    @Override
    public Bytes marker() {
      Bytes value = Bytes.fromHex(String.format("%04x", claims.size()));
      claims.add(value);
      return value;
    }

    @Override
    public void count(Incident what, long times) {}
  }

  private void mark(Bytes value) {
    Entry entry = new Entry(Kind.MARKER, Bytes.EMPTY, 0, 0, Optional.of(value));
    Stored marker = new Stored(core.next(), 0, entry);
    core.read(marker);
    leader.marked(marker, notLeader, now);
  }

  private Stored change(long epoch, long appends) {
    long sequence = appends * ReplicaCore.APPEND_ENTRIES_MAX;
    return new Stored(
        core.next(), 0, new Entry(Kind.CHANGE, KEY, epoch, sequence, Optional.of(KEY)));
  }

  private void hole() {
    core.skipTo(core.next() + 1);
    leader.skipped(now);
  }

  private void lead() {
    leader.want(true);
    leader.advance(true, now, () -> true);
    mark(newest());
    assertIs(true, true);
  }

  private Bytes newest() {
    return claims.get(claims.size() - 1);
  }

  private void assertIs(boolean isServing, boolean isWritable) {
    assertThat(leader.isServing()).as("serves").isEqualTo(isServing);
    assertThat(leader.isWritable()).as("takes writes").isEqualTo(isWritable);
  }

  @Test
  void claims_once_when_it_has_read_what_there_was_and_leads_at_its_marker() {
    leader.want(true);
    leader.advance(false, now, () -> true);
    assertThat(claims).isEmpty();
    leader.advance(true, now, () -> true);
    leader.advance(true, now + 100 * PAUSE_NANOS, () -> true);
    assertThat(claims).hasSize(1);
    assertIs(false, false);
    mark(newest());
    assertIs(true, true);
  }

  @Test
  void a_claim_that_fails_is_tried_again_after_a_pause_that_grows() {
    leader.want(true);
    leader.advance(true, now, () -> true);
    for (int i = 1; i < 4; i++) {
      leader.appended(i, Optional.of(new IOException("no broker")), now);
      long next = now + (PAUSE_NANOS << (i - 1));
      assertThat(leader.nextNanos(true)).contains(next);
      assertThat(leader.nextNanos(false)).isEmpty();
      leader.advance(true, next - 1, () -> true);
      assertThat(claims).hasSize(i);
      now = next;
      leader.advance(true, now, () -> true);
      assertThat(claims).hasSize(i + 1);
      assertThat(leader.nextNanos(true)).isEmpty();
    }
  }

  @Test
  void the_marker_of_a_claim_that_was_given_up_leads_when_it_comes_late() {
    leader.want(true);
    leader.advance(true, now, () -> true);
    leader.appended(1, Optional.of(new IOException("no answer")), now);
    mark(newest());
    assertIs(true, true);
  }

  @Test
  void behind_a_hole_it_serves_rows_and_claims_again_until_another_leads() {
    lead();
    hole();
    assertIs(true, false);
    assertThat(leader.nextNanos(true)).contains(now + PAUSE_NANOS);
    leader.advance(true, now + PAUSE_NANOS, () -> true);
    assertThat(claims).hasSize(2);
    assertIs(true, false);
    mark(FOREIGN);
    assertIs(false, false);
    mark(newest());
    assertIs(true, true);
  }

  @Test
  void a_marker_that_may_have_been_in_a_hole_is_appended_again() {
    leader.want(true);
    leader.advance(true, now, () -> true);
    hole();
    leader.advance(true, now + PAUSE_NANOS, () -> true);
    assertThat(claims).hasSize(2);
    mark(newest());
    assertIs(true, true);
  }

  @Test
  void a_marker_of_its_own_that_is_not_its_newest_takes_the_lead_and_not_the_rows() {
    lead();
    hole();
    leader.advance(true, now + PAUSE_NANOS, () -> true);
    Bytes older = newest();
    leader.appended(2, Optional.of(new IOException("no answer")), now);
    now += 2 * PAUSE_NANOS;
    leader.advance(true, now, () -> true);
    mark(newest());
    assertIs(true, true);
    mark(older);
    assertIs(true, false);
    now += 4 * PAUSE_NANOS;
    leader.advance(true, now, () -> true);
    assertThat(claims).hasSize(4);
  }

  @Test
  void a_marker_of_another_leader_makes_it_wait_and_claim_again() {
    lead();
    mark(FOREIGN);
    assertIs(false, false);
    leader.advance(true, now, () -> true);
    assertThat(claims).hasSize(1);
    leader.advance(true, now + PAUSE_NANOS, () -> true);
    assertThat(claims).hasSize(2);
  }

  @Test
  void a_record_of_a_newer_epoch_whose_marker_nobody_has_read_is_a_lost_lead() {
    mark(FOREIGN);
    lead();
    Stored fenced = change(0, 1);
    core.read(fenced);
    leader.fenced(fenced, now);
    assertIs(true, true);
    Stored foreign = change(core.next() - 1, 1);
    assertThat(core.read(foreign)).isEqualTo(ReplicaCore.Verdict.CHANGE);
    leader.counted(foreign, now);
    assertIs(true, false);
    leader.advance(true, now + PAUSE_NANOS, () -> true);
    assertThat(claims).hasSize(2);
  }

  @Test
  void who_is_not_to_lead_resigns_with_the_next_step_and_may_be_told_to_lead_again() {
    lead();
    leader.want(false);
    assertIs(false, false);
    assertThat(core.role()).isEqualTo(Role.LEADING);
    leader.advance(true, now, () -> true);
    assertThat(core.role()).isEqualTo(Role.FOLLOWING);
    assertThat(leader.nextNanos(true)).isEmpty();
    leader.want(true);
    assertIs(false, false);
    leader.advance(true, now, () -> true);
    assertThat(claims).hasSize(2);
    assertIs(false, false);
  }

  @Test
  void who_is_told_to_lead_before_it_has_resigned_serves_on_and_claims_again() {
    lead();
    leader.want(false);
    leader.want(true);
    assertIs(true, false);
    leader.advance(true, now, () -> true);
    assertThat(claims).hasSize(2);
    assertIs(true, false);
    mark(newest());
    assertIs(true, true);
  }

  @Test
  void who_was_stopped_serves_nothing_whatever_is_read() {
    lead();
    leader.stop(notLeader, "the server stops");
    assertIs(false, false);
    mark(FOREIGN);
    assertIs(false, false);
  }
}
