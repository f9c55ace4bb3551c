package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Checkpoints that wait for the catalog are stored together. */
final class StoredTogetherTest extends CoordinatorFixture {

  private CheckpointRequest waiting(Checkpoint checkpoint) {
    outcomes.add(new FakeSession.Outcome());
    return new CheckpointRequest(checkpoint, first, outcomes.get(outcomes.size() - 1));
  }

  @Test
  void checkpoints_that_wait_are_stored_with_one_write_and_each_is_judged_by_itself()
      throws IOException {
    session(first);
    List<Assignment> held = List.copyOf(first.held.values());
    Queue<CheckpointRequest> queue = new ArrayDeque<>();
    queue.add(waiting(checkpoint(held.get(0), 2)));
    queue.add(waiting(new Checkpoint(held.get(1).handle(), held.get(1).epoch() - 1, 2)));
    queue.add(waiting(checkpoint(held.get(1), ROWS + 1)));
    queue.add(waiting(checkpoint(held.get(1), 0)));
    queue.add(waiting(checkpoint(held.get(1), 3)));
    queue.add(waiting(checkpoint(held.get(2), 4)));
    int writes = store.writes();
    coordinator.checkpoint(queue);
    assertThat(store.writes()).isEqualTo(writes + 1);
    assertThat(outcomes).allMatch(outcome -> outcome.told == 1);
    assertThat(outcomes)
        .extracting(outcome -> outcome.refusal == null)
        .containsExactly(true, false, false, true, true, true);
    TunnelCatalog stored = new TunnelCatalog(new Catalog(store));
    assertThat(held)
        .extracting(one -> checkpointed(stored, one.partition()))
        .containsExactly(2L, 3L, 4L);
  }

  @Test
  void checkpoints_of_one_channel_that_wait_together_never_go_back() throws IOException {
    session(first);
    Assignment held = first.any();
    Queue<CheckpointRequest> queue = new ArrayDeque<>();
    queue.add(waiting(checkpoint(held, 4)));
    queue.add(waiting(checkpoint(held, 2)));
    coordinator.checkpoint(queue);
    assertThat(queue).as("the second is judged when the first is stored").hasSize(1);
    coordinator.checkpoint(queue);
    assertThat(outcomes.get(0).refusal).isNull();
    assertThat(outcomes.get(1).refusal)
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CHECKPOINT));
    assertThat(checkpointed(new TunnelCatalog(new Catalog(store)), held.partition())).isEqualTo(4);
  }

  @Test
  void checkpoints_that_cannot_be_stored_together_are_all_refused() throws IOException {
    session(first);
    List<Assignment> held = List.copyOf(first.held.values());
    Queue<CheckpointRequest> queue = new ArrayDeque<>();
    held.forEach(one -> queue.add(waiting(checkpoint(one, 2))));
    store.fail(true);
    coordinator.checkpoint(queue);
    assertThat(outcomes).hasSize(3).allMatch(one -> one.refusal instanceof IOException);
    assertThat(
            coordinator.view(tunnel).describe(log, partition -> LogFigures.UNKNOWN, 11).channels())
        .allMatch(channel -> channel.checkpointed() == 0);
  }

  @Test
  void no_more_checkpoints_than_the_limit_are_stored_together() {
    Queue<CheckpointRequest> queue = new ArrayDeque<>();
    for (int i = 0; i <= Checkpoints.TOGETHER_MAX; i++) {
      queue.add(waiting(new Checkpoint(1_000 + i, 1, 1)));
    }
    coordinator.checkpoint(queue);
    assertThat(queue).hasSize(1);
    coordinator.checkpoint(queue);
    assertThat(outcomes).allMatch(one -> one.told == 1);
  }
}
