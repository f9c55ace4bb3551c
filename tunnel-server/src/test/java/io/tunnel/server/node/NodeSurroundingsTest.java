package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.FakeBounds;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.session.Surroundings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

final class NodeSurroundingsTest {

  private final FakeBounds bounds = new FakeBounds();
  private final Queue<Runnable> control = new ArrayDeque<>();
  private final NodeSurroundings node =
      new NodeSurroundings(bounds, ClusterView.none(), control::add, new TestClock(), 6_000);
  private final List<Map<Integer, Long>> kept = new ArrayList<>();
  private final List<RefusedException> failures = new ArrayList<>();

  private final Surroundings.Kept told =
      new Surroundings.Kept() {
        @Override
        public void kept(Map<Integer, Long> committed) {
          kept.add(committed);
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

  @Test
  void changes_behind_the_rows_begin_where_the_log_ends_when_it_is_asked() {
    bounds.set(1, 1, 5);
    bounds.set(2, 3, 9);
    bounds.hold(true);
    node.keepRows("t", List.of(1, 2, 3), told);
    bounds.set(1, 1, 6);
    bounds.hold(false);
    assertThat(kept).as("on the control thread alone").isEmpty();
    runControl();
    assertThat(kept).containsExactly(Map.of(1, 6L, 2, 9L, 3, 0L));
    assertThat(failures).isEmpty();
  }

  @Test
  void a_log_that_cannot_be_reached_is_said_to_be() {
    bounds.unreachable(true);
    node.keepRows("t", List.of(1), told);
    runControl();
    assertThat(kept).isEmpty();
    assertThat(failures)
        .extracting(RefusedException::code)
        .containsExactly(ErrorCode.LOG_UNAVAILABLE);
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
            bounds,
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
