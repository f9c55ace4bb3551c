package io.tunnel.server.replica.append;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.Incidents;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;

/** A lane of a partition over a log and a tail in memory. */
abstract class LaneFixture {

  static final int PARTITION = 1;
  static final long OUTCOME_MS_MAX = 10;

  final Deque<Runnable> posts = new ArrayDeque<>();
  final List<LaneEvent> events = new ArrayList<>();
  final List<Outcome> outcomes = new ArrayList<>();
  long nodeMs = 1_000_000;
  long logMs = 1_000_000;
  long nanos;
  SimAppendLogs logs;
  SimTail tail;
  SharedLane lane;

  final Shard.Clock clock =
      new Shard.Clock() {
        @Override
        public long epochMicros() {
          return TimeUnit.MILLISECONDS.toMicros(nodeMs);
        }

        @Override
        public long nanos() {
          return ++nanos;
        }
      };

  @BeforeEach
  void begin() {
    logs = new SimAppendLogs(new SplittableRandom(1), () -> logMs);
    tail = new SimTail(logs);
    lane = lane(LaneState.NONE);
    lane.begin();
  }

  SharedLane lane(LaneState state) {
    return new SharedLane(
        PARTITION,
        state,
        new LaneWiring(
            logs.of(1),
            tail,
            logs::marker,
            new AppendValue.Leader("node-1", ""),
            posts::add,
            clock),
        new LaneClaims(1, 1),
        new LaneAnswers(partition -> Optional.of("elsewhere:1"), OUTCOME_MS_MAX),
        new LaneIncidents(PARTITION, new Incidents()));
  }

  /** Everything in flight lands, and is told. */
  void land() {
    while (!logs.isIdle()) {
      logs.land(true);
    }
    post();
  }

  void post() {
    while (!posts.isEmpty()) {
      posts.remove().run();
    }
  }

  void read() {
    tail.read(PARTITION, 100);
    for (int waiting = tail.waiting(); waiting > 0; waiting--) {
      lane.take(tail.next().orElseThrow(), events);
    }
    post();
  }

  void lead() {
    lane.lead(clock.nanos());
    nanos += 1_000;
    lane.tick(clock.nanos(), nodeMs);
    land();
    read();
  }

  void append() {
    lane.append(AppendValue.Trim.NONE, outcomes::add, events);
  }

  void look() {
    long asked = clock.nanos();
    lane.sawEnd(tail.ends(List.of(PARTITION)).get(PARTITION).join(), asked, events);
  }

  long marker() {
    return lane.state().follow().stretches().get(0).epoch();
  }

  /** Another node claims the lead. */
  void claimByAnother() {
    logs.land(PARTITION, AppendHeader.marker(logs.marker(), 1, -1), new byte[0]);
  }

  void passDeadline() {
    nanos += TimeUnit.MILLISECONDS.toNanos(OUTCOME_MS_MAX);
  }
}
