package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.FakeLooks;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.cluster.Placement.Member;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.session.Surroundings;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.Pinned;
import io.tunnel.wire.LookRequest.Question;
import io.tunnel.wire.LookRequest.Unpin;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class NodeSurroundingsTest {

  private final FakeLooks own = new FakeLooks();
  private final ManualLater later = new ManualLater();
  private final Map<Integer, String> leaders = new HashMap<>();
  private final List<CompletableFuture<List<Part>>> answers = new ArrayList<>();

  /** Requests to other nodes: the node, and the questions. */
  private final List<String> requests = new ArrayList<>();

  private final LeaderPins pins =
      new LeaderPins(
          new LeaderLooks(
              "n1",
              this::placement,
              own,
              this::request,
              new LeaderLooks.Timing(() -> TimeUnit.MILLISECONDS.toNanos(later.nowMs()), later),
              partition -> "partition " + partition));

  private final Queue<Runnable> control = new ArrayDeque<>();
  private final NodeSurroundings node =
      new NodeSurroundings(pins, ClusterView.none(), control::add, new TestClock(), 6_000);
  private final List<Map<Integer, Long>> kept = new ArrayList<>();
  private final List<Map<Integer, Long>> incarnations = new ArrayList<>();
  private final List<RefusedException> failures = new ArrayList<>();

  private final Surroundings.RowsKept told =
      new Surroundings.RowsKept() {
        @Override
        public void kept(Map<Integer, Long> committed) {
          kept.add(committed);
        }

        @Override
        public void kept(Map<Integer, Long> committed, Map<Integer, Long> ofPartitions) {
          kept(committed);
          incarnations.add(ofPartitions);
        }

        @Override
        public void failed(RefusedException reason) {
          failures.add(reason);
        }
      };

  private void runControl() {
    for (Runnable next = control.poll(); next != null; next = control.poll()) {
      next.run();
    }
  }

  private Placement placement() {
    List<Member> nodes = new ArrayList<>();
    for (String name : List.of("n1", "n2", "n3")) {
      nodes.add(new Member(name, "i", name + ":1", false, 1));
    }
    return new Placement(1, nodes, leaders, Map.of());
  }

  private CompletableFuture<List<Part>> request(Member asked, List<Question> questions) {
    CompletableFuture<List<Part>> answer = new CompletableFuture<>();
    requests.add(asked.name() + " " + questions);
    answers.add(answer);
    return answer;
  }

  private void answer(int request, Part... parts) {
    assertThat(answers.get(request).complete(List.of(parts))).isTrue();
  }

  @Test
  void rows_are_kept_by_the_leaders_at_the_positions_that_they_say() {
    leaders.putAll(Map.of(1, "n1", 2, "n2", 3, "n3"));
    own.pins(new Pinned(1, 6, Optional.of(70L)));
    node.keepRows("t", List.of(1, 2, 3), told);
    answer(0, new Pinned(2, 9, Optional.empty()));
    runControl();
    assertThat(kept).as("a leader has not answered").isEmpty();
    answer(1, new Pinned(3, 0, Optional.of(71L)));
    assertThat(kept).as("on the control thread alone").isEmpty();
    runControl();
    assertThat(kept).containsExactly(Map.of(1, 6L, 2, 9L, 3, 0L));
    assertThat(incarnations).containsExactly(Map.of(1, 70L, 3, 71L));
    assertThat(failures).isEmpty();
    assertThat(own.unpinned()).isEmpty();
  }

  @Test
  void a_leader_that_does_not_answer_has_all_nodes_give_up_the_rows_at_once() {
    leaders.putAll(Map.of(1, "n1", 2, "n2"));
    own.pins(new Pinned(1, 6, Optional.empty()));
    node.keepRows("t", List.of(1, 2), told);
    later.pass(LeaderLooks.WAIT_MS_MAX);
    runControl();
    assertThat(kept).isEmpty();
    assertThat(failures)
        .extracting(RefusedException::code)
        .containsExactly(ErrorCode.LOG_UNAVAILABLE);
    assertThat(own.unpinned()).containsExactly(new Unpin(0, "t"));
    assertThat(requests.subList(1, 3))
        .containsExactly("n2 " + List.of(new Unpin(0, "t")), "n3 " + List.of(new Unpin(0, "t")));
  }

  @Test
  void the_leader_of_a_finished_partition_gives_up_its_rows() {
    leaders.putAll(Map.of(1, "n1", 2, "n2"));
    node.forgetRows("t", 2);
    assertThat(requests).containsExactly("n2 " + List.of(new Unpin(2, "t")));
    node.forgetRows("t", 1);
    assertThat(own.unpinned()).containsExactly(new Unpin(1, "t"));
  }

  @Test
  void a_barrier_is_passed_on_the_control_thread_and_later() {
    List<String> passed = new ArrayList<>();
    node.passBarrier(1, 0, () -> passed.add("barrier"));
    node.control(() -> passed.add("action"));
    assertThat(passed).isEmpty();
    runControl();
    assertThat(passed).containsExactly("barrier", "action");
  }

  @Test
  void a_node_that_stops_drops_what_was_to_be_done() {
    NodeSurroundings stopping =
        new NodeSurroundings(
            pins,
            ClusterView.none(),
            action -> {
              throw new RejectedExecutionException("stopping");
            },
            new TestClock(),
            6_000);
    stopping.control(() -> kept.add(Map.of()));
    stopping.keepRows("t", List.of(1), told);
    stopping.forgetRows("t");
    stopping.forgetRows("t", 1);
    assertThat(kept).isEmpty();
    assertThat(failures).isEmpty();
  }
}
