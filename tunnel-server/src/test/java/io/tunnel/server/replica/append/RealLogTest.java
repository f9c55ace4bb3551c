package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.kafka.TestAppends;
import io.tunnel.server.kafka.TestKafka;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import io.tunnel.server.replica.append.LeadCore.Role;
import io.tunnel.server.replica.append.LeadCore.Settled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The rule over a real Kafka: nodes claim the lead of a partition in turns, each while the other
 * has appends in flight. A leader does not read back what it knows. What the nodes say of their
 * appends is compared with the log.
 */
class RealLogTest {

  private static final int PARTITION = TestAppends.FIRST;
  private static final int APPENDS_MAX = 4;
  private static final int LARGE_BYTES = 300_000;
  private static final long SECONDS_MAX = 120;

  private final SplittableRandom random = new SplittableRandom(1);
  private final BlockingQueue<Runnable> posts = new LinkedBlockingQueue<>();
  private final List<Node> nodes = new ArrayList<>();
  private TestAppends table;
  private long ids;

  /** A node; all of its methods are called by the test's thread. */
  private final class Node {
    final ReadableAppendLog log = table.node();
    final AppendTail tail = log.tail(event -> posts.add(() -> happened(event)));
    final LeadCore<Long> lead = new LeadCore<>(FollowState.NONE, APPENDS_MAX);
    final Map<Long, Long> counted = new HashMap<>();
    final List<Long> never = new ArrayList<>();
    boolean isReading;
    int readBack;

    void claim() {
      AppendHeader marker = lead.claim(random.nextLong(), 1);
      log.append(
          PARTITION,
          marker.encode(),
          new byte[0],
          offset ->
              posts.add(
                  () -> {
                    if (offset.isEmpty() && lead.isClaiming(marker)) {
                      lead.resign();
                    }
                  }));
      read();
    }

    void read() {
      if (!isReading) {
        isReading = true;
        tail.follow(PARTITION, lead.follow().next(), AppendTail.NO_EPOCH);
      }
    }

    void append() {
      long id = ++ids;
      int changes = random.nextInt(3);
      ByteBuffer value = ByteBuffer.allocate(random.nextInt(8) == 0 ? LARGE_BYTES : Long.BYTES);
      AppendHeader header = lead.append(Kind.BATCHES, changes, made -> id);
      log.append(
          PARTITION,
          header.encode(),
          value.putLong(id).array(),
          offset ->
              posts.add(
                  () -> {
                    if (offset.isEmpty()) {
                      if (lead.isUnderWay(header)) {
                        lead.resign();
                        read();
                      }
                      return;
                    }
                    settle(lead.acknowledged(header, offset.get().offset()));
                    if (lead.isUnderWay(header)) {
                      read();
                    }
                  }));
    }

    void happened(AppendTail.Event event) {
      if (event instanceof AppendTail.LeaderChanged) {
        // What was believed holds only if it is read back.
        if (lead.role() == Role.LEADING) {
          lead.resign();
        }
        read();
        return;
      }
      if (event instanceof AppendTail.Begun) {
        return;
      }
      assertThat(event).isInstanceOf(AppendTail.Read.class);
      AppendTail.Read read = (AppendTail.Read) event;
      for (AppendTail.Stored stored : read.records()) {
        boolean isOwn = lead.isUnderWay(stored.header());
        LeadCore.Read<Long> taken = lead.read(stored.offset(), stored.header());
        readBack += isOwn && taken.verdict() == Verdict.COUNTS ? 1 : 0;
        settle(taken.settled());
      }
      if (isReading && lead.role() == Role.LEADING && lead.underWay().isEmpty()) {
        isReading = false;
        tail.pause(PARTITION);
      }
    }

    private void settle(List<Settled<Long>> settled) {
      for (Settled<Long> one : settled) {
        assertThat(one.outcome()).isNotEqualTo(Outcome.UNKNOWN);
        if (one.outcome() == Outcome.COUNTS) {
          assertThat(counted.put(one.what(), one.header().first())).isNull();
        } else {
          never.add(one.what());
        }
      }
    }
  }

  @BeforeEach
  void start() throws Exception {
    table = new TestAppends(1);
    nodes.add(new Node());
    nodes.add(new Node());
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

  /** Leads, also when an append of the former epoch ends the claimed one. */
  private void lead(Node node) throws InterruptedException {
    node.claim();
    until(
        () -> {
          if (node.lead.role() == Role.FOLLOWING) {
            node.claim();
          }
          return node.lead.role() == Role.LEADING;
        });
  }

  private void turn(Node node, int appends) throws InterruptedException {
    lead(node);
    for (int i = 0; i < appends && node.lead.role() == Role.LEADING; i++) {
      node.append();
      until(() -> node.lead.mayAppend() || node.lead.role() != Role.LEADING);
    }
  }

  private void settleAll() throws InterruptedException {
    for (Node node : nodes) {
      lead(node);
      until(() -> node.lead.underWay().isEmpty());
    }
  }

  /** Each append is settled once, and counts at its position exactly if the log says so. */
  private void assertTrue() throws Exception {
    Map<Long, Long> truth = new HashMap<>();
    FollowCore reader = new FollowCore(FollowState.NONE);
    BlockingQueue<AppendTail.Event> events = new LinkedBlockingQueue<>();
    try (AppendTail tail = nodes.get(0).log.tail(events::add)) {
      long end = tail.ends(List.of(PARTITION)).get(PARTITION).get(60, TimeUnit.SECONDS).offset();
      tail.follow(PARTITION, 0, AppendTail.NO_EPOCH);
      while (reader.next() < end) {
        AppendTail.Event event = events.poll(60, TimeUnit.SECONDS);
        assertThat(event)
            .isInstanceOfAny(
                AppendTail.Begun.class, AppendTail.Read.class, AppendTail.LeaderChanged.class);
        List<AppendTail.Stored> records =
            event instanceof AppendTail.Read read ? read.records() : List.of();
        for (AppendTail.Stored stored : records) {
          if (reader.read(stored.offset(), stored.header()) == Verdict.COUNTS) {
            long id = ByteBuffer.wrap(stored.value()).getLong();
            assertThat(truth.put(id, stored.header().first())).as("once").isNull();
          }
        }
      }
    }
    Map<Long, Long> said = new HashMap<>();
    nodes.forEach(node -> said.putAll(node.counted));
    assertThat(said).isEqualTo(truth);
    nodes.forEach(node -> assertThat(node.never).doesNotContainAnyElementsOf(truth.keySet()));
    assertThat(nodes.stream().mapToInt(node -> node.counted.size() + node.never.size()).sum())
        .isEqualTo(Math.toIntExact(ids));
  }

  @Test
  void nodes_that_claim_in_turns_say_what_the_log_says() throws Exception {
    for (int i = 0; i < 20; i++) {
      turn(nodes.get(i % 2), 1 + random.nextInt(20));
    }
    settleAll();
    assertTrue();
    assertThat(nodes.get(0).counted).hasSizeGreaterThan(20);
  }

  @Test
  void a_leader_whom_nobody_disturbs_reads_nothing_back() throws Exception {
    Node node = nodes.get(0);
    turn(node, 100);
    until(() -> node.lead.underWay().isEmpty());
    assertThat(node.counted).hasSize(100);
    assertThat(node.readBack).isZero();
    assertTrue();
  }

  @Tag("proof-kafka")
  @Test
  void nodes_say_what_the_log_says_also_when_the_broker_is_killed_in_between() throws Exception {
    for (int i = 0; i < 6; i++) {
      Node node = nodes.get(i % 2);
      turn(node, 10);
      node.append();
      TestKafka.broker().kill();
      if (node.lead.mayAppend()) {
        node.append();
      }
      TestKafka.broker().restart();
      turn(node, 10);
    }
    settleAll();
    assertTrue();
  }
}
