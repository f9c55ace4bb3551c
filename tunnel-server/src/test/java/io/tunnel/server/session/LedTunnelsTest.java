package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.FakeBounds;
import io.tunnel.server.changes.KnownBounds;
import io.tunnel.server.changes.SharedLogBounds;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.cluster.FakeView;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.server.session.fake.FakeSurroundings;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LedTunnelsTest {

  private final FakeView view = new FakeView("here:1");
  private final FakeSurroundings surroundings = new FakeSurroundings();
  private final FakeSession port = new FakeSession();
  private final Handles handles = new Handles();
  private final List<Runnable> posted = new ArrayList<>();
  private Catalog tables;
  private TableRecord one;
  private TableRecord two;
  private LedTunnels led;

  @BeforeEach
  void open() throws IOException {
    MemoryCatalogStore texts = new MemoryCatalogStore();
    new Founding(new CatalogIdentity(Bytes.fromHex("51")), Bytes.fromHex("52"), 1, LogForm.ROWS)
        .noteIn(texts);
    tables = new Catalog(texts);
    one = tables.createTable(new TableMeta("one", TestRows.SCHEMA), List.of(), 0);
    two = tables.createTable(new TableMeta("two", TestRows.SCHEMA), List.of(), 0);
    led = new LedTunnels(tables, view);
  }

  private static int group(TableRecord table) {
    return Unit.groupOf(Unit.ofTunnels(table.tableId()));
  }

  private TunnelHost host(TableRecord table) throws IOException {
    TunnelCatalog catalog = new TunnelCatalog(tables, new MemoryCatalogStore(), group(table));
    SharedLogBounds bounds =
        new SharedLogBounds(new FakeBounds(), new KnownBounds(), surroundings::control);
    Coordinator coordinator =
        new Coordinator(
            catalog,
            new Coordinator.Naming(handles, tables.grants()),
            bounds,
            new SessionConfig(300, 1_000),
            surroundings);
    return new TunnelHost(
        catalog,
        coordinator,
        new Operators(catalog, bounds, coordinator, surroundings),
        posted::add);
  }

  private String session(TableRecord table, TunnelHost host) throws IOException {
    String id = host.catalog().newTunnelId(1);
    TunnelInfo tunnel =
        host.catalog()
            .createTunnel(
                new CreateTunnel(table.meta().name(), "n", TunnelType.Stream, StreamStart.LATEST),
                id,
                Map.of(
                    ChannelKey.stream(table.partitions().get(0).id()), ChannelState.startingAt(0)),
                0);
    List<String> ids = new ArrayList<>();
    host.coordinator()
        .open(
            new OpenSession(tunnel.tunnelId(), "tag", 1_000, 0),
            port,
            opened -> ids.add(opened.sessionId()));
    assertThat(led.ofTunnel(id)).isSameAs(host);
    return ids.get(0);
  }

  private static void requireRefused(ErrorCode code, ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void each_session_and_channel_is_found_on_its_host_under_a_name_of_its_own() throws IOException {
    TunnelHost first = host(one);
    TunnelHost second = host(two);
    led.lead(group(one), first);
    led.lead(group(two), second);
    assertThatThrownBy(() -> led.lead(group(two), first)).isInstanceOf(IllegalStateException.class);
    assertThat(led.all()).containsExactly(first, second);
    String ofFirst = session(one, first);
    String ofSecond = session(two, second);
    assertThat(led.ofTable("one")).isSameAs(first);
    assertThat(led.ofTable("two")).isSameAs(second);
    assertThat(led.ofSession(ofFirst)).isSameAs(first);
    assertThat(led.ofSession(ofSecond)).isSameAs(second);
    assertThat(port.held).as("two channels with two names").hasSize(2);
    port.held.forEach(
        (handle, held) ->
            assertThat(led.ofHandle(handle))
                .isSameAs(held.sessionId().equals(ofFirst) ? first : second));
    requireRefused(ErrorCode.SESSION_ENDED, () -> led.ofSession("other"));
    requireRefused(ErrorCode.FENCED, () -> led.ofHandle(99));
  }

  @Test
  void tunnels_of_other_nodes_are_refused_with_their_address() {
    view.leads(Unit.ofTunnels(one.tableId()), "there:2");
    assertThatThrownBy(() -> led.ofTable("one"))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER);
              assertThat(e.leader()).contains("there:2");
            });
    assertThatThrownBy(() -> led.ofTunnel("t1g" + group(one) + "-x"))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.leader()).contains("there:2"));
    assertThatThrownBy(() -> led.ofTable("two"))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER);
              assertThat(e.leader()).as("nobody leads it").isEmpty();
            });
    requireRefused(ErrorCode.TUNNEL_NOT_FOUND, () -> led.ofTunnel("t1-x"));
    requireRefused(
        ErrorCode.TUNNEL_NOT_FOUND, () -> led.ofTunnel("t1g" + Unit.TUNNEL_GROUPS + "-x"));
    requireRefused(ErrorCode.TABLE_NOT_FOUND, () -> led.ofTable("three"));
  }

  @Test
  void a_host_that_resigns_ends_its_sessions_on_its_thread_and_is_found_no_more()
      throws IOException {
    TunnelHost host = host(one);
    led.lead(group(one), host);
    String id = session(one, host);
    List<String> steps = new ArrayList<>();
    led.resign(group(one), () -> steps.add("over"));
    assertThat(port.overs).as("not on this thread").isEmpty();
    requireRefused(ErrorCode.SESSION_ENDED, () -> led.ofSession(id));
    requireRefused(ErrorCode.NOT_LEADER, () -> led.ofTable("one"));
    posted.forEach(Runnable::run);
    assertThat(port.overs).hasSize(1);
    assertThat(port.overs.get(0).code()).isEqualTo(ErrorCode.SESSION_ENDED);
    assertThat(steps).containsExactly("over");
    led.resign(group(one), () -> steps.add("again"));
    assertThat(posted).hasSize(1);
  }
}
