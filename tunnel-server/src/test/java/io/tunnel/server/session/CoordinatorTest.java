package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ErrorCode;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class CoordinatorTest extends CoordinatorFixture {

  @Test
  void a_connection_that_closes_gives_its_channels_to_the_others_at_once() throws IOException {
    session(first);
    assertThat(first.held).hasSize(3);
    Assignment former = first.any();
    first.checkpoint(coordinator, checkpoint(former, 2));
    session(second);
    coordinator.disconnected(first);
    assertThat(second.held).hasSize(3);
    Assignment taken =
        second.held.values().stream()
            .filter(held -> held.partition() == former.partition())
            .findFirst()
            .orElseThrow();
    assertThat(taken.checkpointed()).isEqualTo(2);
    assertThat(taken.epoch()).isGreaterThan(former.epoch());
    assertThat(coordinator.sessionCount()).isEqualTo(1);
    requireRefused(ErrorCode.FENCED, () -> first.checkpoint(coordinator, checkpoint(former, 3)));
  }

  @Test
  void handles_of_others_and_old_epochs_are_fenced() {
    session(first);
    Assignment held = first.any();
    requireRefused(ErrorCode.FENCED, () -> second.checkpoint(coordinator, checkpoint(held, 1)));
    requireRefused(
        ErrorCode.FENCED,
        () -> first.checkpoint(coordinator, new Checkpoint(held.handle(), held.epoch() - 1, 1)));
    requireRefused(
        ErrorCode.FENCED, () -> coordinator.release(new ChannelRef(99, held.epoch()), first));
    coordinator.release(ref(held), first);
    requireRefused(ErrorCode.FENCED, () -> coordinator.release(ref(held), first));
  }

  @Test
  void a_session_is_its_connections_own() {
    String id = session(first);
    requireRefused(
        ErrorCode.SESSION_ENDED, () -> coordinator.heartbeat(new Heartbeat(id, List.of()), second));
    requireRefused(ErrorCode.SESSION_ENDED, () -> coordinator.close(id, second));
    coordinator.close(id, first);
    assertThat(first.held).isEmpty();
    requireRefused(
        ErrorCode.SESSION_ENDED, () -> coordinator.heartbeat(new Heartbeat(id, List.of()), first));
  }

  @Test
  void a_checkpoint_that_cannot_be_stored_is_not_taken_for_stored() throws IOException {
    session(first);
    Assignment held = first.any();
    store.fail(true);
    assertThatThrownBy(() -> first.checkpoint(coordinator, checkpoint(held, 3)))
        .isInstanceOf(IOException.class);
    assertThat(view(held).checkpointed()).isZero();
    store.fail(false);
    first.checkpoint(coordinator, checkpoint(held, 3));
    assertThat(view(held).checkpointed()).isEqualTo(3);
    assertThat(checkpointed(new TunnelCatalog(new Catalog(store)), held.partition())).isEqualTo(3);
    int writes = store.writes();
    first.checkpoint(coordinator, checkpoint(held, 3));
    assertThat(store.writes()).as("no news is not written").isEqualTo(writes);
    requireRefused(
        ErrorCode.INVALID_CHECKPOINT,
        () -> first.checkpoint(coordinator, checkpoint(held, ROWS + 1)));
  }

  @Test
  void a_channel_is_described_with_its_lag() throws IOException {
    session(first);
    Assignment held = first.any();
    first.checkpoint(coordinator, checkpoint(held, 2));
    ChannelDescription described = view(held);
    assertThat(described.delivered()).as("what its worker says that it has").isEqualTo(2);
    assertThat(described.committed()).isEqualTo(ROWS);
    assertThat(described.lagRows()).isEqualTo(ROWS - 2);
    assertThat(described.lagBytes()).isPositive();
    assertThat(described.owner()).isPresent();
    assertThat(described.clientTag()).contains("tag");
    first.checkpoint(coordinator, checkpoint(held, ROWS));
    assertThat(view(held).lagBytes()).isZero();
    assertThat(view(held).lagMs()).isZero();
  }

  @Test
  void a_move_waits_for_the_release_or_its_deadline() {
    session(first);
    session(second);
    assertThat(first.revocations).hasSize(1);
    assertThat(second.held).isEmpty();
    Assignment moving = first.held.get(first.revocations.get(0).handle());
    coordinator.release(ref(moving), first);
    assertThat(second.held).hasSize(1);
    assertThat(first.held).hasSize(2);
  }

  @Test
  void sessions_end_with_their_leases() {
    String id = session(first);
    session(second);
    surroundings.nowNanos = TimeUnit.MILLISECONDS.toNanos(REVOKE_MS);
    coordinator.tick();
    assertThat(second.held).as("the deadline of the move").hasSize(1);
    coordinator.heartbeat(new Heartbeat(id, List.of()), first);
    surroundings.nowNanos = TimeUnit.MILLISECONDS.toNanos(LEASE_MS);
    coordinator.tick();
    assertThat(coordinator.sessionCount()).isEqualTo(1);
    assertThat(second.held).isEmpty();
    assertThat(first.held).hasSize(3);
    assertThat(first.fences).as("the deadline").hasSize(1);
    assertThat(first.overs).isEmpty();
    assertThat(second.fences).as("with the session").hasSize(1);
    assertThat(second.overs).extracting(SessionEnd::code).containsExactly(ErrorCode.SESSION_ENDED);
  }

  @Test
  void a_deleted_tunnel_ends_its_sessions() throws IOException {
    String id = session(first);
    session(second);
    catalog.deleteTunnel(tunnel);
    coordinator.forget(tunnel);
    assertThat(first.overs)
        .extracting(SessionEnd::sessionId, SessionEnd::code)
        .containsExactly(tuple(id, ErrorCode.TUNNEL_NOT_FOUND));
    assertThat(first.fences).hasSize(3);
    assertThat(coordinator.sessionCount()).isZero();
    assertThat(first.held).isEmpty();
    assertThat(second.held).isEmpty();
    requireRefused(
        ErrorCode.SESSION_ENDED, () -> coordinator.heartbeat(new Heartbeat(id, List.of()), first));
    requireRefused(ErrorCode.TUNNEL_NOT_FOUND, () -> session(first));
    coordinator.tick();
    coordinator.disconnected(first);
  }

  @Test
  void checkpoints_beyond_what_the_log_kept_are_taken_back_at_start() throws IOException {
    int lost = catalog.tables().table("t").partitions().get(0).id();
    int kept = catalog.tables().table("t").partitions().get(1).id();
    catalog.store(
        "id",
        Map.of(
            ChannelKey.stream(lost),
            ChannelState.startingAt(ROWS + 3L).withEnd(Optional.of(ROWS + 3L), true),
            ChannelKey.stream(kept),
            ChannelState.startingAt(ROWS)));
    coordinator = coordinator();
    assertThat(checkpointed(catalog, lost)).isEqualTo(ROWS);
    assertThat(checkpointed(catalog, kept)).isEqualTo(ROWS);
    assertThat(catalog.channel("id", ChannelKey.stream(lost)))
        .as("the end is looked for again")
        .isEqualTo(ChannelState.startingAt(ROWS));
    session(first);
    assertThat(first.held.values()).allMatch(held -> held.checkpointed() <= ROWS);
  }

  @Test
  void who_closes_or_is_gone_is_not_told_that_it_is() {
    String id = session(first);
    session(second);
    coordinator.close(id, first);
    coordinator.disconnected(second);
    for (FakeSession port : List.of(first, second)) {
      assertThat(port.held).isEmpty();
      assertThat(port.fences).isEmpty();
      assertThat(port.overs).isEmpty();
    }
  }

  @Test
  void what_its_worker_stops_is_stored_as_stopped_and_given_to_nobody() throws IOException {
    session(first);
    Assignment held = first.any();
    int handle = held.handle();
    requireRefused(
        ErrorCode.FENCED,
        () -> coordinator.stop(new StopChannel(handle, held.epoch() - 1, "x"), first));
    coordinator.stop(new StopChannel(handle, held.epoch(), "poison"), first);
    assertThat(first.held).hasSize(2);
    assertThat(first.fences).isEmpty();
    session(second);
    assertThat(second.held).isEmpty();
    assertThat(view(held).error()).contains("poison");
    assertThat(view(held).status()).isEqualTo(ChannelStatus.WAIT);
    catalog = new TunnelCatalog(new Catalog(store));
    coordinator = coordinator();
    session(second);
    assertThat(second.held).hasSize(2);
  }
}
