package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.server.session.fake.FakeSurroundings;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.OpenSession;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A coordinator whose tunnels are kept apart from their tables, as in a cluster. */
final class GroupOfTunnelsTest {

  private static final int GROUP = 3;

  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private final FakeSession port = new FakeSession();
  private final FakeSurroundings surroundings = new FakeSurroundings();
  private Catalog tables;
  private TableRecord table;
  private TunnelCatalog catalog;
  private TunnelInfo tunnel;
  private LocalLog log;
  private Coordinator coordinator;

  @BeforeEach
  void open() throws IOException {
    log = TestLogs.open(new CrashDisk(), 0);
    tables = new Catalog(new MemoryCatalogStore());
    table = tables.createTable(new TableMeta("t", TestRows.SCHEMA), List.of(), 0);
    catalog = new TunnelCatalog(tables, store, GROUP);
    tunnel =
        catalog.createTunnel(
            new CreateTunnel("t", "n", TunnelType.Stream, StreamStart.EARLIEST), "id", Map.of(), 0);
    coordinator = coordinator(catalog);
  }

  private Coordinator coordinator(TunnelCatalog ofGroup) throws IOException {
    return Coordinator.alone(
        ofGroup,
        log,
        new Coordinator.Naming(new Handles(), ChannelGrants.of(Bytes.fromHex("52"))),
        new SessionConfig(300, 1_000),
        surroundings);
  }

  private String session(Coordinator of, String tunnelId) {
    List<String> ids = new ArrayList<>();
    of.open(
        new OpenSession(tunnelId, "tag", 1_000, 0), port, opened -> ids.add(opened.sessionId()));
    return ids.get(0);
  }

  @Test
  void sessions_of_two_groups_have_different_ids() throws IOException {
    TunnelCatalog other = new TunnelCatalog(tables, new MemoryCatalogStore(), GROUP + 1);
    other.createTunnel(
        new CreateTunnel("t", "m", TunnelType.Stream, StreamStart.EARLIEST), "id2", Map.of(), 0);
    assertThat(session(coordinator, "id")).isEqualTo("1g3-1");
    assertThat(session(coordinator(other), "id2")).isEqualTo("1g4-1");
  }

  @Test
  void tunnels_of_a_dropped_table_end_and_are_deleted_as_soon_as_they_can_be() throws IOException {
    String id = session(coordinator, "id");
    assertThat(port.held).hasSize(1);
    tables.dropTable(table, Asked.NAMELESS);
    store.fail(true);
    coordinator.tick();
    assertThat(port.overs)
        .extracting(SessionEnd::sessionId, SessionEnd::code)
        .containsExactly(tuple(id, ErrorCode.TUNNEL_NOT_FOUND));
    assertThat(port.held).isEmpty();
    assertThat(surroundings.forgotten).as("once, when the tunnel is deleted").isEmpty();
    assertThat(catalog.orphans()).containsExactly(tunnel);
    assertThatThrownBy(() -> session(coordinator, "id"))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.TUNNEL_NOT_FOUND));
    store.fail(false);
    coordinator.tick();
    assertThat(surroundings.forgotten).containsExactly("id");
    assertThat(catalog.orphans()).isEmpty();
    assertThat(catalog.tunnels(Optional.empty())).isEmpty();
    assertThat(store.all()).containsOnlyKeys("counters");
  }

  @Test
  void checkpoints_of_other_tunnels_that_wait_with_those_of_a_dropped_table_are_stored()
      throws IOException {
    tables.createTable(
        new TableMeta("u", TestRows.SCHEMA),
        List.of(PrimaryKeyValue.fromString("h"), PrimaryKeyValue.fromString("p")),
        0);
    catalog.createTunnel(
        new CreateTunnel("u", "m", TunnelType.Stream, StreamStart.EARLIEST), "id2", Map.of(), 0);
    port.delivered = OptionalLong.of(9);
    session(coordinator, "id2");
    List<Assignment> others = List.copyOf(port.held.values());
    session(coordinator, "id");
    Assignment orphan =
        port.held.values().stream()
            .filter(held -> !others.contains(held))
            .findFirst()
            .orElseThrow();
    tables.dropTable(table, Asked.NAMELESS);
    List<FakeSession.Outcome> outcomes = new ArrayList<>();
    List<CheckpointRequest> together = new ArrayList<>();
    for (Assignment held : List.of(others.get(0), orphan, others.get(1), others.get(2))) {
      outcomes.add(new FakeSession.Outcome());
      together.add(
          new CheckpointRequest(
              new Checkpoint(held.handle(), held.epoch(), 9),
              held.equals(orphan) ? List.of() : List.of(new Skip(8, TestRows.key("a"), "odd")),
              port,
              outcomes.get(outcomes.size() - 1)));
    }
    int writes = store.writes();
    coordinator.checkpoint(together);
    assertThat(outcomes).allMatch(outcome -> outcome.told == 1);
    assertThat(outcomes.get(1).refusal)
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.TUNNEL_NOT_FOUND));
    outcomes.remove(1);
    assertThat(outcomes).allMatch(outcome -> outcome.refusal == null);
    assertThat(store.writes()).as("two of them stand together").isEqualTo(writes + 2);
    TunnelCatalog stored = new TunnelCatalog(tables, store, GROUP);
    assertThat(others)
        .allMatch(
            held -> stored.channel("id2", ChannelKey.stream(held.partition())).checkpointed() == 9);
    assertThat(stored.skipped("id2").count()).isEqualTo(3);
    coordinator.tick();
    assertThat(port.held).hasSize(3);
  }

  @Test
  void a_leader_that_comes_after_the_drop_deletes_them_too() throws IOException {
    tables.dropTable(table, Asked.NAMELESS);
    tables.createTable(new TableMeta("t", TestRows.SCHEMA), List.of(), 0);
    TunnelCatalog next = new TunnelCatalog(tables, store, GROUP);
    coordinator(next).tick();
    assertThat(store.all()).containsOnlyKeys("counters");
  }

  @Test
  void a_tunnel_that_was_stored_late_begins_anew_with_what_is_stored_and_higher_epochs()
      throws IOException {
    String id = session(coordinator, "id");
    Assignment former = port.held.values().iterator().next();
    coordinator.stored(Map.of("checkpoint/id/" + former.partition(), Optional.of("2")));
    assertThat(port.overs)
        .extracting(SessionEnd::sessionId, SessionEnd::code)
        .containsExactly(tuple(id, ErrorCode.SESSION_ENDED));
    assertThat(port.held).isEmpty();
    assertThat(session(coordinator, "id")).isNotEqualTo(id);
    Assignment now = port.held.values().iterator().next();
    assertThat(now.checkpointed()).isEqualTo(2);
    assertThat(now.epoch()).isGreaterThan(former.epoch());
    coordinator.stored(Map.of("paused/id", Optional.of("true")));
    session(coordinator, "id");
    assertThat(port.held).isEmpty();
    coordinator.stored(Map.of("paused/id", Optional.empty()));
    session(coordinator, "id");
    assertThat(port.held.values().iterator().next().epoch()).isGreaterThan(now.epoch());
  }

  @Test
  void others_go_on_when_a_tunnel_was_stored_late() throws IOException {
    catalog.createTunnel(
        new CreateTunnel("t", "m", TunnelType.Stream, StreamStart.EARLIEST), "id2", Map.of(), 0);
    String other = session(coordinator, "id2");
    coordinator.stored(Map.of("checkpoint/id/1", Optional.of("2"), "counters", Optional.of("{}")));
    coordinator.heartbeat(new Heartbeat(other, List.of()), port);
    assertThat(port.held).hasSize(1);
    assertThat(port.overs).isEmpty();
  }

  @Test
  void a_tunnel_that_was_created_or_deleted_late_is_there_or_gone() throws IOException {
    MemoryCatalogStore elsewhere = new MemoryCatalogStore();
    new TunnelCatalog(tables, elsewhere, GROUP)
        .createTunnel(
            new CreateTunnel("t", "m", TunnelType.Stream, StreamStart.EARLIEST),
            "id2",
            Map.of(),
            0);
    coordinator.stored(elsewhere.lastWrite());
    session(coordinator, "id2");
    assertThat(port.held).hasSize(1);
    Map<String, Optional<String>> removal =
        Map.of("tunnel/id2", Optional.empty(), "of/id2", Optional.empty());
    coordinator.stored(removal);
    assertThat(port.held).isEmpty();
    assertThat(port.overs).hasSize(1);
    assertThat(surroundings.forgotten).containsExactly("id2");
    assertThatThrownBy(() -> session(coordinator, "id2"))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.TUNNEL_NOT_FOUND));
    assertThat(catalog.exists("id")).isTrue();
    assertThat(catalog.exists("id2")).isFalse();
  }
}
