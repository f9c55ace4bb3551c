package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.server.changes.Bounds;
import io.tunnel.server.changes.KnownBounds;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.OperatorControl.SeekResult;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Sessions of a node of a cluster: their channels are delivered elsewhere, from a shared log. */
final class AttachedSessionsTest extends AttachedSessionsFixture {

  @Test
  void tunnels_start_at_the_edges_of_the_shared_log() {
    TunnelInfo latest = create(TunnelType.Stream, StreamStart.LATEST);
    assertThat(state(latest, ChannelKey.stream(low)).checkpointed()).isEqualTo(20);
    assertThat(state(latest, ChannelKey.stream(high)).checkpointed()).isEqualTo(10);
    catalog.channels(latest);
    operatorsDelete(latest);
    TunnelInfo earliest = create(TunnelType.Stream, StreamStart.EARLIEST);
    assertThat(state(earliest, ChannelKey.stream(low)).checkpointed()).isEqualTo(2);
    assertThat(state(earliest, ChannelKey.stream(high)).checkpointed()).isZero();
    operatorsDelete(earliest);
    log.record(low, 15, 500_000);
    TunnelInfo moment =
        create(TunnelType.Stream, StreamStart.EARLIEST, Optional.of(500L), Optional.empty());
    assertThat(state(moment, ChannelKey.stream(low)).checkpointed()).isEqualTo(14);
    assertThat(state(moment, ChannelKey.stream(high)).checkpointed())
        .as("nothing was committed since")
        .isEqualTo(10);
  }

  private void operatorsDelete(TunnelInfo tunnel) {
    try {
      operators.delete(new TunnelName(tunnel.table(), tunnel.tunnel()), Asked.NAMELESS);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void nothing_is_created_when_the_log_cannot_be_asked() {
    log.unreachable(true);
    operators.create(
        new CreateTunnel("t", "n", TunnelType.Stream, StreamStart.LATEST),
        Asked.NAMELESS,
        new Operators.Creation() {
          @Override
          public void created(TunnelInfo tunnel) {
            created.add(tunnel);
          }

          @Override
          public void failed(Exception reason) {
            failed.add(reason);
          }
        });
    surroundings.runControl();
    assertThat(created).isEmpty();
    assertThat(failed)
        .extracting(reason -> ((RefusedException) reason).code())
        .containsExactly(ErrorCode.LOG_UNAVAILABLE);
    assertThat(catalog.tunnels(Optional.empty())).isEmpty();
  }

  @Test
  void an_assignment_says_all_that_is_needed_to_attach() throws IOException {
    TunnelInfo tunnel =
        create(TunnelType.Stream, StreamStart.LATEST, Optional.empty(), Optional.of(5_000L));
    ChannelKey key = ChannelKey.stream(low);
    catalog.store(
        tunnel.tunnelId(), Map.of(key, state(tunnel, key).withEnd(Optional.of(30L), false)));
    session(tunnel);
    Assignment ended = held(low);
    Granted granted = new Granted(ended.channelId(), low, ended.epoch(), "");
    assertThat(grants.verified(granted, ended.grant(), any -> {}))
        .as("what is granted is this channel under this epoch, on these terms")
        .contains(
            new Terms(
                "n",
                20,
                Optional.of(30L),
                Optional.of(5_000L),
                surroundings.epochMicros() / 1_000 + 1_250,
                1_250));
    assertThat(ended.checkpointed()).isEqualTo(20);
    assertThat(ended.end()).contains(30L);
    assertThat(ended.endMs()).contains(5_000L);
    assertThat(held(high).end()).isEmpty();
    assertThat(handles.take()).as("names are shared with what others attach to").isEqualTo(3);
  }

  @Test
  void a_worker_that_processed_more_than_belongs_is_checkpointed_at_the_end() {
    surroundings.nowMs = 1_000;
    TunnelInfo tunnel =
        create(TunnelType.Stream, StreamStart.EARLIEST, Optional.empty(), Optional.of(2_000L));
    session(tunnel);
    surroundings.nowMs = 2_000;
    log.record(low, 18, 2_000_000);
    coordinator.tick();
    surroundings.passBarriers();
    Assignment held = held(low);
    assertThat(checkpoint(held, 18, Bytes.EMPTY).refusal).isNull();
    assertThat(state(tunnel, ChannelKey.stream(low)).checkpointed()).isEqualTo(17);
  }

  @Test
  void an_end_in_time_is_found_when_the_log_has_passed_it_and_the_worker_is_told() {
    surroundings.nowMs = 1_000;
    TunnelInfo tunnel =
        create(TunnelType.Stream, StreamStart.EARLIEST, Optional.empty(), Optional.of(2_000L));
    session(tunnel);
    surroundings.nowMs = 2_000;
    log.record(low, 18, 2_000_000);
    coordinator.tick();
    surroundings.passBarriers();
    Assignment held = held(low);
    assertThat(port.limits).containsExactly(new ChannelEnd(held.handle(), held.epoch(), 17));
    assertThat(state(tunnel, ChannelKey.stream(low)).end()).contains(17L);
    assertThat(state(tunnel, ChannelKey.stream(high)).end())
        .as("the clock of the leader may be behind: more may come from before the moment")
        .isEmpty();
    surroundings.nowMs = 20_000;
    log.record(high, 11, 2_000_000);
    coordinator.tick();
    surroundings.passBarriers();
    assertThat(state(tunnel, ChannelKey.stream(high)).end()).as("not before a second").isEmpty();
    surroundings.nowNanos += 1_000_000_000L;
    coordinator.heartbeat(new Heartbeat(held.sessionId(), List.of()), port);
    coordinator.tick();
    surroundings.passBarriers();
    assertThat(state(tunnel, ChannelKey.stream(high)).end()).contains(10L);
    assertThat(port.limits).hasSize(2);
  }

  private Terms terms(Renewal renewal, int partition) {
    Granted granted =
        new Granted(held(partition).channelId(), partition, renewal.epoch(), port.holder());
    return grants.verified(granted, renewal.grant(), any -> {}).orElseThrow();
  }

  private List<Renewal> renewals(int partition) {
    int handle = held(partition).handle();
    return port.renewals.stream().filter(one -> one.handle() == handle).toList();
  }

  @Test
  void a_heartbeat_renews_all_grants_of_a_session_four_times_a_lease_at_most() {
    surroundings.nowMs = 1_000;
    String id = session(create(TunnelType.Stream, StreamStart.LATEST));
    for (int i = 0; i < 100; i++) {
      surroundings.nowNanos += 10_000_000L;
      surroundings.nowMs += 10;
      coordinator.heartbeat(new Heartbeat(id, List.of()), port);
    }
    for (int partition : List.of(low, high)) {
      assertThat(renewals(partition)).hasSize(4);
      assertThat(terms(renewals(partition).get(0), partition))
          .isEqualTo(
              new Terms(
                  "n",
                  held(partition).checkpointed(),
                  Optional.empty(),
                  Optional.empty(),
                  1_250 + 1_250,
                  1_250));
    }
  }

  @Test
  void the_grants_of_a_session_that_lives_never_end_before_it() {
    surroundings.nowMs = 1_000;
    String id = session(create(TunnelType.Stream, StreamStart.LATEST));
    long untilMs = 1_000 + 1_250;
    for (int gapMs : List.of(200, 40, 10, 999, 249, 250, 251, 1, 999)) {
      surroundings.nowNanos += gapMs * 1_000_000L;
      surroundings.nowMs += gapMs;
      coordinator.heartbeat(new Heartbeat(id, List.of()), port);
      List<Renewal> said = renewals(low);
      untilMs = said.isEmpty() ? untilMs : terms(said.get(said.size() - 1), low).untilMs();
      assertThat(untilMs).as("the lease").isGreaterThanOrEqualTo(surroundings.nowMs + 1_000);
    }
  }

  @Test
  void what_a_session_has_lost_is_not_renewed() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.LATEST);
    String first = session(tunnel);
    int lost = held(low).handle();
    coordinator.release(new ChannelRef(lost, held(low).epoch()), port);
    surroundings.nowNanos += 250_000_000L;
    coordinator.heartbeat(new Heartbeat(first, List.of()), port);
    assertThat(port.renewals)
        .extracting(Renewal::handle)
        .doesNotContain(lost)
        .containsExactlyInAnyOrder(held(low).handle(), held(high).handle());
  }

  @Test
  void a_heartbeat_renews_nothing_that_another_session_holds() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.LATEST);
    String first = session(tunnel);
    session(tunnel);
    Revocation moved = port.revocations.get(0);
    coordinator.release(new ChannelRef(moved.handle(), moved.epoch()), port);
    surroundings.nowNanos += 250_000_000L;
    coordinator.heartbeat(new Heartbeat(first, List.of()), port);
    assertThat(port.renewals)
        .extracting(Renewal::handle)
        .containsExactlyElementsOf(
            port.held.values().stream()
                .filter(held -> held.sessionId().equals(first))
                .map(Assignment::handle)
                .toList())
        .hasSize(1);
  }

  @Test
  void an_end_that_is_found_comes_with_a_grant_that_says_it() {
    surroundings.nowMs = 1_000;
    session(create(TunnelType.Stream, StreamStart.EARLIEST, Optional.empty(), Optional.of(2_000L)));
    surroundings.nowMs = 2_000;
    log.record(low, 18, 2_000_000);
    coordinator.tick();
    surroundings.passBarriers();
    assertThat(port.limits).hasSize(1);
    assertThat(terms(renewals(low).get(0), low).end()).contains(17L);
    assertThat(renewals(high)).isEmpty();
  }

  @Test
  void a_seek_asks_the_log_first() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    log.record(low, 15, 500_000);
    log.record(high, 2, 400_000);
    log.record(high, 9, 600_000);
    List<SeekResult> results = new ArrayList<>();
    operators.seek(
        new Seek(
            "t",
            "n",
            List.of(),
            Optional.empty(),
            Optional.of(500L),
            Optional.empty(),
            Optional.empty(),
            false),
        Asked.NAMELESS,
        new Operators.Answer<>() {
          @Override
          public void done(SeekResult result) {
            results.add(result);
          }

          @Override
          public void failed(Exception reason) {
            failed.add(reason);
          }
        });
    assertThat(results).isEmpty();
    surroundings.runControl();
    assertThat(failed).isEmpty();
    assertThat(results.get(0).moves())
        .extracting(move -> move.partition(), move -> move.to())
        .containsExactly(tuple(low, 14L), tuple(high, 8L));
    assertThat(state(tunnel, ChannelKey.stream(high)).checkpointed()).isEqualTo(8);
  }

  @Test
  void who_resigns_ends_all_sessions_and_stores_nothing_more() {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    String id = session(tunnel);
    Assignment held = held(low);
    log.set(low, 3, 25);
    FakeSession.Outcome waiting = checkpoint(held, 25, Bytes.EMPTY);
    int writes = store.writes();
    coordinator.resign("another node does");
    assertThat(port.held).isEmpty();
    assertThat(port.overs)
        .containsExactly(new SessionEnd(id, ErrorCode.SESSION_ENDED, "another node does"));
    surroundings.runControl();
    assertThat(code(waiting)).isEqualTo(ErrorCode.FENCED);
    surroundings.nowNanos = Long.MAX_VALUE / 2;
    coordinator.tick();
    surroundings.runControl();
    assertThat(store.writes()).isEqualTo(writes);
    assertThatThrownBy(() -> session(tunnel))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER));
    assertThatThrownBy(() -> coordinator.heartbeat(new Heartbeat(id, List.of()), port))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_ENDED));
  }

  @Test
  void nobody_knows_since_when_a_partition_lags_that_has_no_replica_here() throws IOException {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    KnownBounds known = new KnownBounds();
    known.saw(low, new Bounds(8, 20));
    known.saw(high, new Bounds(1, 10));
    List<ChannelDescription> channels =
        coordinator
            .view(tunnel)
            .describe(
                new LogFigures.OfSharedLog(known, null, partition -> false),
                partition -> LogFigures.UNKNOWN,
                65_000)
            .channels();
    assertThat(channels)
        .extracting(
            ChannelDescription::committed,
            ChannelDescription::lagRows,
            ChannelDescription::lagBytes,
            ChannelDescription::lagMs,
            ChannelDescription::historyLeftMs)
        .containsExactly(
            tuple(20L, 18L, -1L, -1L, Optional.of(-1L)),
            tuple(10L, 10L, -1L, -1L, Optional.empty()));
  }

  @Test
  void the_ends_of_logs_stay_known_also_without_a_worker() throws IOException {
    TunnelInfo tunnel = create(TunnelType.Stream, StreamStart.EARLIEST);
    log.set(low, 3, 21);
    log.set(high, 1, 11);
    surroundings.nowNanos += 2_000_000_000L;
    coordinator.tick();
    surroundings.runControl();
    List<ChannelDescription> channels =
        coordinator
            .view(tunnel)
            .describe(
                new LogFigures.OfSharedLog(known, null, partition -> false),
                partition -> LogFigures.UNKNOWN,
                surroundings.epochMicros() + 60_000_000)
            .channels();
    assertThat(channels).extracting(ChannelDescription::lagRows).containsExactly(19L, 11L);
  }
}
