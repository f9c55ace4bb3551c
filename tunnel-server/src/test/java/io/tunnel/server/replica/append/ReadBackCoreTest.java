package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendTail.End;
import io.tunnel.server.replica.append.ReadBackCore.Proven;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A leader that believes acknowledgements, over a log that gets other leaders and loses its end. In
 * the end the node visits the log: it learns that the log lost its end exactly if the log did.
 */
class ReadBackCoreTest {

  private static final int SEEDS = 20_000;
  private static final int STEPS = 60;

  /** A record of the log, and the leader epoch that took the record. */
  private record Landed(AppendHeader header, int leaderEpoch) {}

  /** The answer to a question. */
  private record Look(long askedNanos, End end) {}

  private final List<Landed> log = new ArrayList<>();
  private int leaderEpoch = 3;
  private long markers;
  private SplittableRandom random;
  private FollowCore follow;
  private ReadBackCore readBack;

  /** The records that the node has read or believed. */
  private final List<AppendHeader> known = new ArrayList<>();

  private final Deque<Look> looks = new ArrayDeque<>();
  private long nanos;
  private boolean isLost;
  private boolean mustVisit;

  private int end(int epoch) {
    int end = log.size();
    while (end > 0 && log.get(end - 1).leaderEpoch() > epoch) {
      end--;
    }
    return end;
  }

  /** The node reads from the proven place to the end of the log. */
  private void visit() {
    Proven from = readBack.proven();
    boolean isCut =
        from.offset() > log.size()
            || (from.leaderEpoch() != AppendTail.NO_EPOCH
                && end(from.leaderEpoch()) < from.offset());
    isLost |= isCut;
    for (long at = from.offset(); at < log.size() && !isLost; at++) {
      Landed record = log.get((int) at);
      if (!readBack.read(follow, at, record.leaderEpoch(), record.header())) {
        isLost = true;
      } else if (at >= follow.next()) {
        var unused = follow.read(at, record.header());
        known.add(record.header());
      }
    }
    mustVisit = false;
  }

  private void land(AppendHeader header) {
    log.add(new Landed(header, leaderEpoch));
  }

  private AppendHeader next(Kind kind) {
    FollowState.Stretch epoch = follow.newest();
    return new AppendHeader(
        kind,
        epoch.epoch(),
        epoch.marker(),
        follow.number() + 1,
        follow.position(),
        kind == Kind.BATCHES ? random.nextInt(3) : 0,
        -1,
        Bytes.EMPTY);
  }

  /** Lands, and is believed if the log acknowledges the next offset. */
  private void append() {
    AppendHeader header = next(random.nextInt(5) == 0 ? Kind.TRIM : Kind.BATCHES);
    land(header);
    long offset = log.size() - 1L;
    if (offset < follow.next()) {
      isLost = true;
    } else if (offset > follow.next()) {
      mustVisit = true;
    } else {
      follow.acknowledged(header);
      known.add(header);
    }
  }

  private void elect() {
    int lost = random.nextInt(3) == 0 ? random.nextInt(6) : 0;
    log.subList(Math.max(0, log.size() - lost), log.size()).clear();
    leaderEpoch += 1 + random.nextInt(2);
  }

  private void answer() {
    Look look = looks.remove();
    End end = look.end();
    if (readBack.isNewer(end.leaderEpoch())) {
      mustVisit = true;
    } else if (!readBack.isOlder(end.leaderEpoch())) {
      var unused = readBack.looked(look.askedNanos(), end);
    }
  }

  private void step() {
    nanos++;
    switch (random.nextInt(13)) {
      case 0 -> elect();
      case 1, 2 -> looks.add(new Look(nanos, new End(log.size(), leaderEpoch)));
      case 3, 4, 5 -> {
        if (!looks.isEmpty()) {
          answer();
        }
      }
      case 6 -> {
        if (random.nextInt(3) == 0) {
          land(AppendHeader.marker(++markers, 1, -1));
        }
      }
      case 7 -> {
        // A node starts again with the stored state.
        LaneState stored =
            new LaneState(follow.state(), 0, readBack.proven(), AppendValue.Trim.NONE);
        LaneState read = LaneState.decode(stored.encode());
        assertThat(read).isEqualTo(stored);
        follow = new FollowCore(read.follow());
        readBack = new ReadBackCore(read.proven());
        looks.clear();
        mustVisit = true;
      }
      case 8 -> readBack.mark(nanos, follow.next());
      default -> {
        if (!mustVisit && follow.newest().isOpen()) {
          append();
        } else {
          visit();
          if (!isLost && !follow.newest().isOpen()) {
            land(AppendHeader.marker(++markers, 1, -1));
            visit();
          }
        }
      }
    }
  }

  private boolean hasLostItsEnd() {
    for (int at = 0; at < known.size(); at++) {
      if (at >= log.size() || !log.get(at).header().equals(known.get(at))) {
        return true;
      }
    }
    return false;
  }

  private void begin(long seed) {
    random = new SplittableRandom(seed);
    log.clear();
    known.clear();
    looks.clear();
    isLost = false;
    mustVisit = false;
    follow = new FollowCore(FollowState.NONE);
    readBack = new ReadBackCore(new Proven(0, AppendTail.NO_EPOCH));
    land(AppendHeader.marker(++markers, 1, -1));
    visit();
  }

  @Test
  void a_visit_finds_out_exactly_when_the_log_lost_what_the_node_knows() {
    int lost = 0;
    int intact = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      begin(seed);
      for (int i = 0; i < STEPS && !isLost; i++) {
        step();
      }
      if (!isLost) {
        // Somebody claims the lead, so the log has a record after the last one that was lost.
        while (log.size() <= known.size()) {
          land(AppendHeader.marker(++markers, 1, -1));
        }
        visit();
      }
      assertThat(isLost).as("seed %d", seed).isEqualTo(hasLostItsEnd());
      lost += isLost ? 1 : 0;
      intact += isLost ? 0 : 1;
    }
    assertThat(lost).isGreaterThan(SEEDS / 10);
    assertThat(intact).isGreaterThan(SEEDS / 10);
  }

  @Test
  void a_look_under_the_leader_of_the_last_record_proves_what_was_known_before() {
    begin(1);
    append();
    append();
    readBack.mark(100, follow.next());
    append();
    readBack.mark(200, follow.next());
    assertThat(readBack.proven()).isEqualTo(new Proven(1, 3));
    assertThat(readBack.looked(99, new End(4, 3))).isTrue();
    assertThat(readBack.proven()).as("asked before").isEqualTo(new Proven(1, 3));
    assertThat(readBack.looked(100, new End(4, 3))).isTrue();
    assertThat(readBack.proven()).isEqualTo(new Proven(3, 3));
    assertThat(readBack.looked(300, new End(9, 3))).isTrue();
    assertThat(readBack.proven()).as("not what nobody marked").isEqualTo(new Proven(3, 3));
    readBack.mark(300, follow.next());
    assertThat(readBack.looked(301, new End(9, 3))).isTrue();
    assertThat(readBack.proven()).isEqualTo(new Proven(4, 3));
  }

  @Test
  void a_look_under_another_leader_proves_nothing() {
    begin(1);
    append();
    readBack.mark(1, follow.next());
    assertThat(readBack.looked(2, new End(2, 4))).isFalse();
    assertThat(readBack.looked(2, new End(2, AppendTail.NO_EPOCH))).isFalse();
    assertThat(readBack.proven()).isEqualTo(new Proven(1, 3));
  }

  @Test
  void a_record_that_no_leader_wrote_takes_a_place_whose_leader_nobody_knows() {
    begin(1);
    assertThat(readBack.skipped(follow, 3)).isTrue();
    follow.skipped(3);
    assertThat(readBack.proven()).isEqualTo(new Proven(3, AppendTail.NO_EPOCH));
    assertThat(follow.next()).isEqualTo(3);
  }

  @Test
  void a_believed_record_that_no_reader_finds_is_lost() {
    begin(1);
    append();
    append();
    assertThat(readBack.skipped(follow, 2)).isFalse();
    assertThat(readBack.read(follow, 2, 3, known.get(2))).as("the one before is missing").isFalse();
    assertThat(readBack.read(follow, 1, 3, known.get(2))).as("another record").isFalse();
    assertThat(readBack.read(follow, 1, 3, AppendHeader.marker(9, 1, -1))).isFalse();
    assertThat(readBack.read(follow, 1, 3, known.get(1))).isTrue();
    assertThat(readBack.read(follow, 0, 3, known.get(2))).as("was read before").isTrue();
  }

  @Test
  void a_newer_leader_is_told_apart_from_an_older_one() {
    begin(1);
    assertThat(readBack.isNewer(3)).isFalse();
    assertThat(readBack.isOlder(2)).isTrue();
    assertThat(readBack.isOlder(3)).isFalse();
    assertThat(readBack.isNewer(4)).isTrue();
    assertThat(readBack.isNewer(4)).isFalse();
    assertThat(readBack.isOlder(3)).isTrue();
    assertThat(readBack.isOlder(AppendTail.NO_EPOCH)).isFalse();
  }
}
