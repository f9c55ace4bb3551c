package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.LogBounds;
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

  private final Queue<Runnable> turns = new ArrayDeque<>();

  private CheckpointRequest waiting(Checkpoint checkpoint) {
    outcomes.add(new FakeSession.Outcome());
    return new CheckpointRequest(checkpoint, first, outcomes.get(outcomes.size() - 1));
  }

  /** A host whose control thread runs one task at a time, when the test says so. */
  private TunnelHost host() {
    return new TunnelHost(
        catalog,
        coordinator,
        new Operators(catalog, LogBounds.of(log), coordinator, surroundings),
        turns::add);
  }

  private void checkpoint(TunnelHost host, Checkpoint checkpoint) {
    host.checkpoint(waiting(checkpoint), (control, store, refusal) -> control.execute(store));
  }

  private int writesOfNextTurn() {
    int before = store.writes();
    turns.remove().run();
    return store.writes() - before;
  }

  @Test
  void checkpoints_that_wait_are_stored_with_one_write_and_each_is_judged_by_itself()
      throws IOException {
    session(first);
    List<Assignment> held = List.copyOf(first.held.values());
    int writes = store.writes();
    coordinator.checkpoint(
        List.of(
            waiting(checkpoint(held.get(0), 2)),
            waiting(new Checkpoint(held.get(1).handle(), held.get(1).epoch() - 1, 2)),
            waiting(checkpoint(held.get(2), 4))));
    coordinator.checkpoint(List.of(waiting(checkpoint(held.get(1), ROWS + 1))));
    coordinator.checkpoint(List.of(waiting(checkpoint(held.get(1), 0))));
    assertThat(store.writes()).isEqualTo(writes + 1);
    assertThat(outcomes).allMatch(outcome -> outcome.told == 1);
    assertThat(outcomes)
        .extracting(outcome -> outcome.refusal == null)
        .containsExactly(true, false, true, false, true);
    TunnelCatalog stored = new TunnelCatalog(new Catalog(store));
    assertThat(held)
        .extracting(one -> checkpointed(stored, one.partition()))
        .containsExactly(2L, 0L, 4L);
  }

  /** A heartbeat has its turn after the turns of many channels, and waits for one write. */
  @Test
  void turns_whose_checkpoints_an_earlier_turn_stored_write_nothing() {
    session(first);
    List<Assignment> held = List.copyOf(first.held.values());
    TunnelHost host = host();
    held.forEach(one -> checkpoint(host, checkpoint(one, 2)));
    assertThat(writesOfNextTurn()).isEqualTo(1);
    assertThat(outcomes).hasSize(3).allMatch(one -> one.told == 1 && one.refusal == null);
    held.forEach(one -> checkpoint(host, checkpoint(one, 3)));
    assertThat(writesOfNextTurn()).isZero();
    assertThat(writesOfNextTurn()).isZero();
    assertThat(writesOfNextTurn()).isEqualTo(1);
    assertThat(outcomes).hasSize(6).allMatch(one -> one.told == 1 && one.refusal == null);
  }

  @Test
  void checkpoints_of_one_channel_that_wait_together_never_go_back() throws IOException {
    session(first);
    Assignment held = first.any();
    TunnelHost host = host();
    checkpoint(host, checkpoint(held, 4));
    checkpoint(host, checkpoint(held, 2));
    turns.remove().run();
    assertThat(outcomes)
        .as("the second is judged when the first is stored")
        .last()
        .extracting(one -> one.told)
        .isEqualTo(0);
    turns.remove().run();
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
    store.fail(true);
    coordinator.checkpoint(
        first.held.values().stream().map(one -> waiting(checkpoint(one, 2))).toList());
    assertThat(outcomes).hasSize(3).allMatch(one -> one.refusal instanceof IOException);
    assertThat(
            coordinator.view(tunnel).describe(log, partition -> LogFigures.UNKNOWN, 11).channels())
        .allMatch(channel -> channel.checkpointed() == 0);
  }
}
