package io.tunnel.server.kafka.members;

import static io.tunnel.server.kafka.TestAppends.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.cluster.Membership;
import io.tunnel.server.cluster.NodeInfo;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.kafka.ClientSettings;
import io.tunnel.server.kafka.KafkaCluster;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.kafka.KafkaConfig.Times;
import io.tunnel.server.kafka.TestKafka;
import io.tunnel.server.kafka.TestNode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("proof-kafka")
class KafkaMembershipTest {

  private static final int SESSION_SECONDS_MAX = 60;

  private final KafkaConfig config = TestKafka.config();
  private final List<Membership> joined = new ArrayList<>();
  private KafkaCluster cluster;
  private Admin admin;

  @BeforeEach
  void connect() throws Exception {
    cluster = new KafkaCluster(config, TestKafka.CLOCK);
    admin = Admin.create(new ClientSettings(config).admin());
    get(cluster.topics().openState());
  }

  @AfterEach
  void disconnect() throws Exception {
    for (Membership membership : joined) {
      membership.close();
    }
    admin.close();
    cluster.close();
  }

  private KafkaMembership join(TestNode node) {
    KafkaMembership membership =
        (KafkaMembership) cluster.memberships().join(node.introduce().name(), () -> node);
    joined.add(membership);
    return membership;
  }

  @Test
  void all_are_told_the_same_and_at_once_of_those_who_join_and_leave() throws Exception {
    TestNode a = new TestNode("a", "a1");
    TestNode b = new TestNode("b", "b1");
    TestNode c = new TestNode("c", "c1");
    List<KafkaMembership> members = patient(a, b, c);
    members.get(0).start();
    Placement alone = a.placedWith("a");
    assertThat(alone.leaders()).containsEntry(0, "a");
    members.get(1).start();
    members.get(2).start();
    Placement three = a.placedWith("a", "b", "c");
    assertThat(b.placedWith("a", "b", "c")).isEqualTo(three);
    assertThat(c.placedWith("a", "b", "c")).isEqualTo(three);
    assertThat(three.generation()).isGreaterThan(alone.generation());
    members.get(1).close();
    a.placedWith("a", "c");
    c.placedWith("a", "c");
    members.get(0).close();
    assertThat(c.placedWith("c").leaders()).containsEntry(0, "c");
    assertThat(c.lost).isEmpty();
  }

  @Test
  void one_that_is_found_gone_is_none_any_more_at_once() throws Exception {
    TestNode a = new TestNode("a", "a1");
    TestNode b = new TestNode("b", "b1");
    List<KafkaMembership> members = patient(a, b);
    members.forEach(KafkaMembership::start);
    a.placedWith("a", "b");
    b.placedWith("a", "b");
    members.get(1).abandon();
    members.get(0).evict("b");
    a.placedWith("a");
    members.get(0).evict("nobody");
    // One that lives after all is told, and is back by itself.
    members.get(0).evict("a");
    assertThat(a.lost.poll(60, TimeUnit.SECONDS)).isNotNull();
    a.placedWith("a");
  }

  /** Members whose sessions last longer than {@link TestNode} waits. */
  private List<KafkaMembership> patient(TestNode... nodes) {
    Times patient = new Times(SESSION_SECONDS_MAX * 1_000, 5_000, 20_000);
    KafkaConfig longSessions = TestKafka.config(config, patient);
    List<KafkaMembership> members = new ArrayList<>();
    for (TestNode node : nodes) {
      members.add(
          new KafkaMembership(
              longSessions, admin, node.introduce().name(), () -> node, TestKafka.CLOCK));
    }
    joined.addAll(members);
    return members;
  }

  @Test
  void one_whose_thread_cannot_go_on_is_out_for_good_and_the_others_are_told() throws Exception {
    TestNode b = new TestNode("b", "b1");
    TestNode a =
        new TestNode("a", "a1") {
          @Override
          public void placed(Placement placement) {
            if (placement.nodes().size() > 1) {
              throw new OutOfMemoryError("as it may happen");
            }
            super.placed(placement);
          }
        };
    List<KafkaMembership> members = patient(a, b);
    members.get(0).start();
    a.placedWith("a");
    members.get(1).start();
    assertThat(a.refused.poll(60, TimeUnit.SECONDS)).contains("a cannot follow its cluster");
    b.placedWith("b");
  }

  @Test
  void one_that_dies_is_none_any_more_when_its_session_is_over() throws Exception {
    TestNode a = new TestNode("a", "a1");
    TestNode b = new TestNode("b", "b1");
    join(a);
    KafkaMembership second = join(b);
    a.placedWith("a", "b");
    b.placedWith("a", "b");
    second.abandon();
    a.placedWith("a");
    assertThat(a.lost).isEmpty();
  }

  @Test
  void what_a_node_says_anew_is_decided_on_when_it_asks() throws Exception {
    TestNode a = new TestNode("a", "a1");
    TestNode b = new TestNode("b", "b1");
    Membership first = join(a);
    Membership second = join(b);
    a.placedWith("a", "b");
    Placement before = b.placedWith("a", "b");
    b.info = new NodeInfo("b", "b1", "b:1", true, Set.of(1, 2), Set.of(3), 1);
    second.decideAgain();
    Placement after = a.placed(placement -> isDraining(placement, "b"));
    assertThat(after.generation()).isGreaterThan(before.generation());
    assertThat(b.placed(placement -> isDraining(placement, "b"))).isEqualTo(after);
    // Nothing differs now, and it is decided nevertheless, at the next question.
    second.decideAgain();
    long next = a.placed(placement -> placement.generation() > after.generation()).generation();
    first.decideAgain();
    b.placed(placement -> placement.generation() > next);
  }

  private static boolean isDraining(Placement placement, String name) {
    return placement.node(name).map(Placement.Member::isDraining).orElse(false);
  }

  @Test
  void a_name_that_a_living_node_has_is_refused_and_that_of_a_dead_one_is_free_soon()
      throws Exception {
    TestNode a = new TestNode("a", "a1");
    KafkaMembership first = join(a);
    a.placedWith("a");
    TestNode elsewhere = new TestNode("a", "a2");
    elsewhere.info = at("elsewhere:1", "a2");
    assertThatThrownBy(() -> join(elsewhere))
        .isInstanceOf(NodeNameTakenException.class)
        .hasMessageContaining("node a is a member of cluster " + config.cluster());
    assertThat(a.refused).isEmpty();
    first.abandon();
    TestNode again = new TestNode("a", "a3");
    again.info = at("elsewhere:1", "a3");
    join(again);
    assertThat(again.placedWith("a").node("a").map(Placement.Member::incarnation)).contains("a3");
  }

  @Test
  void the_name_of_one_whose_address_nobody_listens_at_is_free_at_once() throws Exception {
    TestNode dead = new TestNode("a", "a1");
    try (ServerSocket closed = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      dead.info = at("127.0.0.1:" + closed.getLocalPort(), "a1");
    }
    KafkaMembership first = patient(dead).get(0);
    first.start();
    dead.placedWith("a");
    first.abandon();
    TestNode again = new TestNode("a", "a2");
    requireJoinsAtOnce(again);
    TestNode third = new TestNode("a", "a3");
    third.info = at(again.info.address(), "a3");
    // The former address is this node's own now.
    requireJoinsAtOnce(third);
  }

  /** In less than the sessions of {@link #patient}. */
  private void requireJoinsAtOnce(TestNode node) throws Exception {
    Times patient = new Times(SESSION_SECONDS_MAX * 1_000, 5_000, 20_000);
    long began = System.nanoTime();
    try (KafkaCluster again =
        new KafkaCluster(TestKafka.config(config, patient), TestKafka.CLOCK)) {
      Membership membership = again.memberships().join("a", () -> node);
      node.placedWith("a");
      ((KafkaMembership) membership).abandon();
    }
    assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(20));
  }

  private static NodeInfo at(String address, String incarnation) {
    return new NodeInfo("a", incarnation, address, false, Set.of(), Set.of(), 1);
  }

  @Test
  void of_two_that_join_under_one_name_one_is_told_and_stops() throws Exception {
    TestNode a = new TestNode("a", "a1");
    join(a);
    a.placedWith("a");
    TestNode other = new TestNode("a", "a2");
    BlockingQueue<String> refused = new LinkedBlockingQueue<>();
    a.refused = refused;
    other.refused = refused;
    try (KafkaMembership unasked =
        new KafkaMembership(config, admin, "a", () -> other, TestKafka.CLOCK)) {
      unasked.start();
      assertThat(refused.poll(60, TimeUnit.SECONDS)).contains("joined the cluster as a");
      TestNode left = new TestNode("b", "b1");
      join(left);
      Placement placement = left.placedWith("a", "b");
      assertThat(placement.node("a").map(Placement.Member::incarnation).orElseThrow())
          .isIn("a1", "a2");
      assertThat(refused).as("the one that is left goes on").isEmpty();
    }
  }

  /** A request to join arrives after the node gave it up and joined by another request. */
  @Test
  void one_that_is_fenced_by_a_late_request_of_its_own_joins_again() throws Exception {
    TestNode a = new TestNode("a", "a1");
    requireBackWhenFenced(a, () -> {});
  }

  @Test
  void one_that_is_fenced_and_cannot_connect_at_once_joins_again_later() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    TestNode a =
        new TestNode("a", "a1") {
          @Override
          public NodeInfo introduce() {
            if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
              throw new KafkaException("Failed to construct kafka consumer");
            }
            return super.introduce();
          }
        };
    requireBackWhenFenced(a, () -> failures.set(1));
    assertThat(failures).hasValue(0);
  }

  private void requireBackWhenFenced(TestNode a, Runnable before) throws Exception {
    join(a);
    a.placedWith("a");
    before.run();
    TestNode late = new TestNode("a", "a1");
    KafkaMembership request = new KafkaMembership(config, admin, "a", () -> late, TestKafka.CLOCK);
    request.start();
    late.placedWith("a");
    request.abandon();
    assertThat(a.lost.poll(60, TimeUnit.SECONDS)).isNotNull();
    a.placedWith("a");
    assertThat(a.refused).isEmpty();
  }

  @Test
  void a_node_that_cannot_reach_the_group_is_told_that_it_is_lost_and_joins_again_by_itself()
      throws Exception {
    TestNode a = new TestNode("a", "a1");
    join(a);
    Placement before = a.placedWith("a");
    TestKafka.broker().suspend();
    try {
      assertThat(a.lost.poll(60, TimeUnit.SECONDS)).isNotNull();
    } finally {
      TestKafka.broker().resume();
    }
    Placement after = a.placed(placement -> placement.generation() > before.generation());
    assertThat(after.nodes()).hasSize(1);
  }

  @Test
  void a_node_does_not_join_without_kafka() throws Exception {
    KafkaConfig nowhere =
        new KafkaConfig(
            "127.0.0.1:1", "c", config.replicas(), TestKafka.SHORT, "none", config.properties());
    try (KafkaCluster unreachable = new KafkaCluster(nowhere, TestKafka.CLOCK)) {
      assertThatThrownBy(() -> unreachable.memberships().join("a", () -> new TestNode("a", "a1")))
          .isInstanceOfSatisfying(
              RefusedException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.LOG_UNAVAILABLE));
    }
  }
}
