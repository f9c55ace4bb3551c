package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.kafka.TestAppends;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.Incidents;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two lanes of one partition over a real Kafka, on the test's thread. */
class RealLaneTest {

  private static final int PARTITION = TestAppends.FIRST;
  private static final long SECONDS_MAX = 120;

  private final SplittableRandom random = new SplittableRandom(1);
  private final BlockingQueue<Runnable> posts = new LinkedBlockingQueue<>();
  private final List<Node> nodes = new ArrayList<>();
  private TestAppends table;

  private static final class WallClock implements Shard.Clock {
    @Override
    public long epochMicros() {
      return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    @Override
    public long nanos() {
      return System.nanoTime();
    }
  }

  private final class Node {
    final Shard.Clock clock = new WallClock();
    final ReadableAppendLog log = table.node();
    final List<LaneEvent> events = new ArrayList<>();
    final AppendTail tail = log.tail(event -> posts.add(() -> happened(event)));
    final List<Outcome> outcomes = new ArrayList<>();
    final SharedLane lane =
        new SharedLane(
            PARTITION,
            LaneState.NONE,
            new LaneWiring(
                log, tail, random::nextLong, new AppendValue.Leader("node", ""), posts::add, clock),
            new LaneClaims(1, 1),
            new LaneAnswers(partition -> Optional.empty(), 60_000),
            new LaneIncidents(PARTITION, new Incidents()));
    int given;

    private void happened(AppendTail.Event event) {
      if (event instanceof AppendTail.Read read) {
        given += read.records().size();
      }
      lane.take(event, events);
    }

    void tick() {
      lane.tick(clock.nanos(), System.currentTimeMillis());
    }

    /** Appends so many control records, one after the other. */
    void append(int records) throws InterruptedException {
      for (int i = 0; i < records; i++) {
        lane.append(AppendValue.Trim.NONE, outcomes::add, events);
        int all = outcomes.size() + 1;
        until(() -> outcomes.size() >= all || !lane.isLeading());
      }
    }

    void look() {
      long asked = clock.nanos();
      var unused =
          tail.ends(List.of(PARTITION))
              .get(PARTITION)
              .thenAccept(end -> posts.add(() -> lane.sawEnd(end, asked, events)));
    }
  }

  @BeforeEach
  void start() throws Exception {
    table = new TestAppends(1);
    for (int i = 0; i < 2; i++) {
      nodes.add(new Node());
      nodes.get(i).lane.begin();
    }
  }

  @AfterEach
  void stop() throws IOException {
    for (Node node : nodes) {
      node.tail.close();
      node.log.close();
    }
    table.close();
  }

  private void until(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    while (!condition.getAsBoolean()) {
      Runnable post = posts.poll(SECONDS_MAX, TimeUnit.SECONDS);
      assertThat(post).as("something happens").isNotNull();
      post.run();
      assertThat(System.nanoTime() - deadline).isNegative();
    }
  }

  private void lead(Node node) throws InterruptedException {
    node.lane.lead(node.clock.nanos());
    until(
        () -> {
          node.tick();
          return node.lane.isLeading();
        });
  }

  @Test
  void a_leader_rests_and_another_node_that_leads_has_all_of_its_records() throws Exception {
    Node first = nodes.get(0);
    Node second = nodes.get(1);
    lead(first);
    first.append(50);
    assertThat(first.outcomes).hasSize(50).containsOnly(Outcome.COUNTS);
    assertThat(first.lane.standing()).isEqualTo(Standing.RESTS);
    assertThat(first.given).as("its marker, and nothing else").isEqualTo(1);
    first.tick();
    first.look();
    until(() -> first.lane.state().proven().offset() == first.lane.next());

    lead(second);
    second.append(10);
    assertThat(second.outcomes).hasSize(10).containsOnly(Outcome.COUNTS);
    first.lane.follow();
    until(() -> first.lane.next() == second.lane.next());
    assertThat(first.lane.state().follow()).isEqualTo(second.lane.state().follow());
    assertThat(first.given).isLessThan(20);
    assertThat(first.lane.state().proven().leaderEpoch()).isNotEqualTo(AppendTail.NO_EPOCH);
  }
}
