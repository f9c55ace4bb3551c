package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tunnel.server.Logged;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.Incidents;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node counts and logs of the rare events of its replicas. */
final class LaneIncidentsTest {

  private static final int P = 1;

  @TempDir private Path directory;
  private ReplicaNodes nodes;
  private Node first;
  private Node second;

  @BeforeEach
  void start() throws IOException {
    nodes = new ReplicaNodes(directory);
    first = nodes.start(1);
    second = nodes.start(2);
  }

  @AfterEach
  void stop() throws IOException {
    nodes.close();
  }

  private void lead(Node node, Node other) throws IOException {
    other.replicas.follow(P);
    node.replicas.lead(P);
    nodes.pass(100);
    assertThat(node.replicas.isServing(P)).isTrue();
  }

  /** All that waits is done, and nothing lands. */
  private static void work(Node node) throws IOException {
    boolean hasWork = true;
    while (hasWork) {
      hasWork = node.step();
    }
  }

  private static Outcomes send(Node node, String key) {
    Outcomes outcome = new Outcomes();
    node.replicas.of(P).write(Outcomes.write(batch(P, put(key)), false, outcome));
    return outcome;
  }

  private void requireCounted(Node node, Incident what, int times) {
    assertThat(node.replicas.count(what)).as("%s", what).isEqualTo(times);
  }

  @Test
  void a_node_counts_its_markers_and_its_leads() throws IOException {
    lead(first, second);
    requireCounted(first, Incident.CLAIMED, 1);
    requireCounted(first, Incident.LED, 1);
    requireCounted(second, Incident.CLAIMED, 0);
    second.replicas.lead(P);
    work(second);
    nodes.logs.failAll();
    work(second);
    requireCounted(second, Incident.CLAIMED, 1);
    requireCounted(second, Incident.APPEND_FAILED, 1);
    nodes.pass(1_000);
    requireCounted(second, Incident.CLAIMED, 2);
    requireCounted(second, Incident.LED, 1);
    requireCounted(second, Incident.APPEND_FAILED, 1);
    requireCounted(first, Incident.APPEND_FAILED, 0);
  }

  @Test
  void each_node_counts_a_record_of_a_leader_that_was_replaced() throws IOException {
    lead(first, second);
    Outcomes outcome = send(first, "a");
    nodes.settle();
    assertThat(outcome.isTold()).isTrue();
    SimAppendLogs.Landed late = nodes.logs.records(P).get(1);
    lead(second, first);
    requireCounted(first, Incident.FENCED, 0);
    nodes.logs.land(P, late.header, late.value);
    nodes.settle();
    requireCounted(first, Incident.FENCED, 1);
    second.replicas.lookAtEnds();
    nodes.settle();
    requireCounted(second, Incident.FENCED, 1);
  }

  @Test
  void each_node_counts_a_record_behind_a_gap() throws IOException {
    lead(first, second);
    Outcomes outcome = send(first, "a");
    nodes.settle();
    assertThat(outcome.isTold()).isTrue();
    SimAppendLogs.Landed twice = nodes.logs.records(P).get(1);
    nodes.logs.land(P, twice.header, twice.value);
    nodes.settle();
    requireCounted(second, Incident.FENCED, 1);
  }

  @Test
  void an_append_that_fails_and_is_given_up_counts_once() throws IOException {
    lead(first, second);
    Outcomes outcome = send(first, "a");
    work(first);
    nodes.logs.failAll();
    work(first);
    requireCounted(first, Incident.APPEND_FAILED, 1);
    assertThat(outcome.isTold()).isFalse();
    nodes.clock.pass(ReplicaNodes.OUTCOME_MS_MAX);
    first.replicas.tick();
    work(first);
    assertThat(outcome.isTold()).isTrue();
    requireCounted(first, Incident.APPEND_FAILED, 1);
  }

  @Test
  void an_append_without_an_outcome_in_time_counts_once() throws IOException {
    lead(first, second);
    Outcomes outcome = send(first, "a");
    work(first);
    requireCounted(first, Incident.APPEND_FAILED, 0);
    nodes.clock.pass(ReplicaNodes.OUTCOME_MS_MAX);
    first.replicas.tick();
    work(first);
    assertThat(outcome.isTold()).isTrue();
    requireCounted(first, Incident.APPEND_FAILED, 1);
    nodes.pass(1_000);
    requireCounted(first, Incident.APPEND_FAILED, 1);
  }

  @Test
  void a_lane_that_holds_back_says_once_why_and_what_to_do() {
    SimAppendLogs logs = new SimAppendLogs(new SplittableRandom(1), () -> 1);
    SimTail tail = new SimTail(logs);
    SharedLane lane =
        new SharedLane(
            P,
            LaneState.NONE,
            new LaneWiring(
                logs.of(1),
                tail,
                logs::marker,
                new AppendValue.Leader("node-1", ""),
                Runnable::run,
                nodes.clock),
            new LaneClaims(1, 1),
            new LaneAnswers(partition -> Optional.empty(), 1),
            new LaneIncidents(P, new Incidents()));
    List<LaneEvent> events = new ArrayList<>();
    lane.begin();
    tail.read(P, 1);
    tail.next().ifPresent(event -> lane.take(event, events));
    try (Logged logged = Logged.of(LaneIncidents.class)) {
      lane.take(new AppendTail.HeldBack(P, 0, "a record of form 9"), events);
      lane.take(new AppendTail.HeldBack(P, 0, "a record of form 9"), events);
      assertThat(logged.at(Level.WARN))
          .singleElement()
          .asString()
          .contains("partition 1", "offset 0 has a record of form 9", "Upgrade this node");
    }
    assertThat(lane.standing()).isEqualTo(Standing.HELD_BACK);
  }
}
