package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Lag;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.LookRequest.Where;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a leader answers to looks of nodes that coordinate tunnels. */
final class LaneLooksTest {

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
    lead(first, second);
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

  private void send(String key) {
    first.replicas.of(P).write(Outcomes.write(batch(P, put(key)), false, new Outcomes()));
  }

  private void write(String key) throws IOException {
    send(key);
    nodes.settle();
  }

  private CompletableFuture<Found> look(long sinceMicros) {
    return first.replicas.looks().look(new Where(P, List.of(sinceMicros), Optional.empty()));
  }

  private void work() throws IOException {
    first.replicas.tick();
    while (first.step()) {
      // Until nothing waits.
    }
  }

  private long commitMicros(long position) throws IOException {
    return first.replicas.commitMicrosAfter(P, position - 1);
  }

  @Test
  void a_moment_that_has_passed_is_before_the_next_change() throws Exception {
    write("a");
    nodes.clock.pass(10);
    CompletableFuture<Found> answer = look(nodes.clock.epochMicros());
    nodes.pass(100);
    assertThat(answer.join().last()).isEqualTo(1);
    assertThat(answer.join().firstSince()).containsExactly(2L);
    CompletableFuture<Found> past = look(0);
    nodes.pass(100);
    assertThat(past.join().firstSince()).containsExactly(1L);
  }

  @Test
  void a_moment_in_the_future_of_the_leader_is_found_in_no_change() throws Exception {
    write("a");
    CompletableFuture<Found> answer = look(nodes.clock.epochMicros() + 1_000_000);
    nodes.settle();
    assertThat(answer.join().firstSince()).containsExactly(Long.MAX_VALUE);
  }

  @Test
  void an_answer_about_a_moment_waits_for_the_appends_under_way() throws Exception {
    write("a");
    send("b");
    work();
    nodes.clock.pass(10);
    CompletableFuture<Found> answer = look(nodes.clock.epochMicros());
    work();
    assertThat(answer).as("the append may have been stamped before").isNotDone();
    nodes.settle();
    nodes.pass(100);
    assertThat(answer.join().last()).isEqualTo(2);
    assertThat(answer.join().firstSince()).containsExactly(3L);
  }

  @Test
  void a_leader_whose_clock_is_set_back_stamps_no_change_before_a_moment_that_was_asked_for()
      throws Exception {
    write("a");
    nodes.clock.pass(1_000);
    long moment = nodes.clock.epochMicros();
    CompletableFuture<Found> answer = look(moment);
    nodes.pass(50);
    assertThat(answer).isCompleted();
    nodes.clock.set(-900);
    write("b");
    assertThat(commitMicros(2)).isGreaterThanOrEqualTo(moment);
  }

  @Test
  void an_append_that_is_lost_ends_the_wait_of_a_look() throws Exception {
    send("a");
    work();
    CompletableFuture<Found> answer = look(nodes.clock.epochMicros());
    work();
    nodes.logs.failAll();
    nodes.pass(1_000);
    assertThat(answer.join().firstSince()).containsExactly(1L);
    assertThat(answer.join().last()).isZero();
  }

  @Test
  void a_leader_tells_what_is_behind_positions() throws Exception {
    for (String key : List.of("a", "b", "c")) {
      write(key);
      nodes.clock.pass(10);
    }
    CompletableFuture<Lags> answer =
        first.replicas.looks().lags(new Behind(P, List.of(0L, 1L, 3L)));
    nodes.settle();
    Lags lags = answer.join();
    assertThat(lags.first()).isEqualTo(1);
    assertThat(lags.last()).isEqualTo(3);
    assertThat(lags.lags())
        .containsExactly(
            new Lag(first.replicas.bytesAfter(P, 0), commitMicros(1)),
            new Lag(first.replicas.bytesAfter(P, 1), commitMicros(2)),
            new Lag(0, 0));
    assertThat(lags.lags().get(1).bytes()).isBetween(1L, lags.lags().get(0).bytes() - 1);
  }

  @Test
  void a_node_that_leads_no_more_tells_no_lag() throws Exception {
    write("a");
    second.replicas.lead(P);
    second.replicas.tick();
    while (!second.replicas.isServing(P)) {
      boolean unused = second.step();
      nodes.logs.land(true);
    }
    CompletableFuture<Lags> answer = first.replicas.looks().lags(new Behind(P, List.of(0L)));
    nodes.settle();
    assertThat(answer).isCompletedExceptionally();
  }
}
