package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class OperatorsTest extends OperatorsFixture {

  @Test
  void what_is_paused_is_asked_for_and_given_to_nobody_also_after_a_restart() throws IOException {
    TunnelInfo tunnel = earliest();
    session(tunnel);
    operators.pause(new ChannelSelection("t", "n", List.of(id(tunnel, low))), Asked.NAMELESS);
    assertThat(port.revocations)
        .extracting(revocation -> revocation.handle())
        .containsExactly(held(low).handle());
    operators.pause(new ChannelSelection("t", "n", List.of()), Asked.NAMELESS);
    assertThat(port.revocations).hasSize(2);
    port.held.clear();
    start();
    session(tunnel);
    assertThat(port.held).isEmpty();
    operators.resume(new ChannelSelection("t", "n", List.of()), Asked.NAMELESS);
    assertThat(port.held.values())
        .extracting(Assignment::partition)
        .as("what was paused by name is resumed by name")
        .containsExactly(high);
    operators.resume(new ChannelSelection("t", "n", List.of(id(tunnel, low))), Asked.NAMELESS);
    assertThat(port.held).hasSize(2);
    requireRefused(
        ErrorCode.CHANNEL_NOT_FOUND,
        "no channel 'x'",
        () -> operators.pause(new ChannelSelection("t", "n", List.of("x")), Asked.NAMELESS));
  }

  @Test
  void a_session_that_an_operator_ends_is_told_so() {
    TunnelInfo tunnel = earliest();
    String id = session(tunnel);
    requireRefused(
        ErrorCode.CHANNEL_NOT_FOUND,
        "its sessions are " + id,
        () -> operators.endSession(new EndSession("t", "n", "other")));
    operators.endSession(new EndSession("t", "n", id));
    assertThat(port.held).isEmpty();
    assertThat(port.overs)
        .extracting(over -> over.sessionId(), over -> over.code())
        .containsExactly(tuple(id, ErrorCode.SESSION_ENDED));
  }

  @Test
  void a_tunnel_starts_in_front_of_the_first_change_at_or_after_a_moment() throws IOException {
    create(stream(StreamStart.EARLIEST, Optional.of(200L), Optional.empty()));
    assertThat(created).as("what is being written may belong before it").isEmpty();
    surroundings.passBarriers();
    assertThat(at(created.get(0), low)).isEqualTo(3);
    assertThat(at(created.get(0), high)).isEqualTo(3);
    requireRefused(
        ErrorCode.INVALID_POSITION,
        "to now",
        () ->
            create(
                new CreateTunnel(
                    "t",
                    "m",
                    TunnelType.Stream,
                    StreamStart.EARLIEST,
                    Optional.of(1_001L),
                    Optional.empty())));
    requireRefused(
        ErrorCode.INVALID_REQUEST,
        "before its start",
        () ->
            create(
                new CreateTunnel(
                    "t",
                    "m",
                    TunnelType.Stream,
                    StreamStart.LATEST,
                    Optional.empty(),
                    Optional.of(1_000L))));
  }

  @Test
  void a_tunnel_that_ends_in_the_future_ends_when_the_moment_has_passed() throws IOException {
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.of(2_000L)));
    TunnelInfo tunnel = created.get(0);
    session(tunnel);
    assertThat(held(low).end()).isEmpty();
    surroundings.nowMs = 2_000;
    write(2_000);
    coordinator.tick();
    assertThat(catalog.channel(tunnel.tunnelId(), stream(low)).end()).isEmpty();
    start();
    port.held.clear();
    coordinator.tick();
    store.fail(true);
    surroundings.passBarriers();
    store.fail(false);
    coordinator.tick();
    surroundings.passBarriers();
    assertThat(catalog.channel(tunnel.tunnelId(), stream(low)).end()).contains(6L);
    session(tunnel);
    Assignment again = held(low);
    assertThat(again.end()).contains(6L);
    port.checkpoint(coordinator, new Checkpoint(again.handle(), again.epoch(), 6));
    coordinator.release(new ChannelRef(again.handle(), again.epoch()), port);
    assertThat(
            new TunnelCatalog(new Catalog(store))
                .channel(tunnel.tunnelId(), stream(low))
                .isFinished())
        .isTrue();
    requireRefused(
        ErrorCode.INVALID_POSITION,
        "positions 0 to 6",
        () -> Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 7L)));
    Seeks.now(operators, seek(List.of(id(tunnel, low)), null, null, 1L));
    assertThat(held(low).checkpointed()).as("terminated no more").isEqualTo(1);
  }

  @Test
  void of_two_creations_of_one_name_one_is_refused_and_its_rows_forgotten() {
    CreateTunnel request =
        new CreateTunnel("t", "n", TunnelType.BaseAndStream, StreamStart.EARLIEST);
    create(request);
    create(request);
    surroundings.keeping.get(1).kept(Map.of(low, 4L, high, 5L));
    surroundings.keeping.get(0).kept(Map.of(low, 4L, high, 5L));
    assertThat(created).hasSize(1);
    assertThat(failed)
        .singleElement()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TUNNEL_EXISTS));
    assertThat(surroundings.forgotten).hasSize(1).doesNotContain(created.get(0).tunnelId());
    assertThat(catalog.channel(created.get(0).tunnelId(), stream(high)).checkpointed())
        .isEqualTo(5);
    assertThat(catalog.channel(created.get(0).tunnelId(), ChannelKey.base(high)).checkpointed())
        .isZero();
  }

  @Test
  void a_deleted_tunnel_needs_no_kept_rows() throws IOException {
    TunnelInfo tunnel = earliest();
    operators.delete(new TunnelName(tunnel.table(), tunnel.tunnel()), Asked.NAMELESS);
    assertThat(surroundings.forgotten).containsExactly(tunnel.tunnelId());
  }

  @Test
  void a_table_that_is_dropped_meanwhile_has_no_tunnel() throws IOException {
    CreateTunnel request = new CreateTunnel("t", "n", TunnelType.BaseData, StreamStart.EARLIEST);
    create(request);
    catalog.tables().dropTable(table, Asked.NAMELESS);
    catalog.tables().createTable(new TableMeta("t", TestRows.SCHEMA), List.of(), 0);
    surroundings.keeping.get(0).kept(Map.of(low, 4L, high, 5L));
    assertThat(failed)
        .singleElement()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND));
    assertThat(surroundings.forgotten).hasSize(1);
    assertThat(catalog.tunnels(Optional.empty())).isEmpty();
  }
}
