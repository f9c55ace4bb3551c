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
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.security.Quota;
import io.tunnel.server.security.Quota.Counts;
import io.tunnel.server.security.SecuritySnapshot.SubjectQuota;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.server.session.fake.FakeSurroundings;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** As many sessions as allowed, and their end. */
final class SessionLimitsTest {

  private final FakeSurroundings surroundings = new FakeSurroundings();
  private final FakeSession first = new FakeSession();
  private final FakeSession second = new FakeSession();
  private final Catalog tables = new Catalog(new MemoryCatalogStore());
  private Coordinator coordinator;

  SessionLimitsTest() throws IOException {}

  private Coordinator coordinator(int sessionsMax, int ofConnectionMax) throws IOException {
    TunnelCatalog catalog = new TunnelCatalog(tables);
    int partition =
        catalog
            .tables()
            .createTable(new TableMeta("t", TestRows.SCHEMA), List.of(), 0)
            .partitions()
            .get(0)
            .id();
    var unused =
        catalog.createTunnel(
            new CreateTunnel("t", "n", TunnelType.Stream, StreamStart.EARLIEST),
            "id",
            Map.of(ChannelKey.stream(partition), ChannelState.startingAt(0)),
            0);
    LocalLog log = TestLogs.open(new CrashDisk(), 0);
    return Coordinator.alone(
        catalog,
        log,
        new Coordinator.Naming(new Handles(), ChannelGrants.of(Bytes.fromHex("52"))),
        new SessionConfig(300, 1_000, sessionsMax, ofConnectionMax),
        surroundings);
  }

  private static void open(Coordinator coordinator, FakeSession port) {
    coordinator.open(new OpenSession("id", "tag", 1_000, 0), port, opened -> {});
  }

  private static void requireBusy(Coordinator coordinator, FakeSession port, String limit) {
    assertThatThrownBy(() -> open(coordinator, port))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining(limit);
  }

  @Test
  void a_connection_has_as_many_as_allowed_and_others_have_their_own() throws IOException {
    coordinator = coordinator(10, 2);
    open(coordinator, first);
    open(coordinator, first);
    requireBusy(coordinator, first, "session.sessionsOfConnectionMax = 2");
    open(coordinator, second);
    assertThat(coordinator.sessionCount()).isEqualTo(3);
  }

  @Test
  void there_are_as_many_as_allowed_until_some_end() throws IOException {
    coordinator = coordinator(3, 3);
    open(coordinator, first);
    open(coordinator, first);
    open(coordinator, second);
    requireBusy(coordinator, second, "session.sessionsMax = 3");
    coordinator.disconnected(first);
    open(coordinator, second);
    assertThat(coordinator.sessionCount()).isEqualTo(2);
  }

  @Test
  void a_connection_is_told_of_each_session_that_lives_on_it_and_of_its_end_however_it_ends()
      throws IOException {
    coordinator = coordinator(10, 10);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      coordinator.open(
          new OpenSession("id", "tag", i == 0 ? 1_000 : 60_000, 0),
          first,
          opened -> ids.add(opened.sessionId()));
    }
    open(coordinator, second);
    assertThat(first.open).isEqualTo(4);
    surroundings.nowNanos += TimeUnit.MILLISECONDS.toNanos(1_001);
    coordinator.tick();
    assertThat(first.open).as("a lease has ended").isEqualTo(3);
    assertThat(second.open).isZero();
    coordinator.close(ids.get(1), first);
    assertThat(first.open).as("one was closed").isEqualTo(2);
    open(coordinator, second);
    assertThat(second.open).isEqualTo(1);
    coordinator.disconnected(second);
    assertThat(second.open).as("the connection has gone").isZero();
    coordinator.resign("others coordinate the tunnel");
    assertThat(first.open).isZero();
  }

  @Test
  void the_sessions_of_a_connection_that_close_end_step_by_step() throws IOException {
    int step = Coordinator.SESSIONS_ENDED_MAX;
    coordinator = coordinator(1_000, 1_000);
    for (int i = 0; i < 2 * step + 1; i++) {
      open(coordinator, first);
    }
    open(coordinator, second);
    assertThat(first.held).hasSize(1);
    coordinator.disconnected(first);
    assertThat(coordinator.sessionCount()).isEqualTo(step + 2);
    surroundings.runControlOnce();
    assertThat(coordinator.sessionCount()).isEqualTo(2);
    surroundings.runControl();
    assertThat(coordinator.sessionCount()).isEqualTo(1);
    assertThat(first.held).isEmpty();
    assertThat(second.held).hasSize(1);
  }

  @Test
  void a_principal_has_as_many_as_its_quota_allows_until_some_end() throws IOException {
    coordinator = coordinator(10, 10);
    Counts counts =
        new Counts(
            Optional.empty(), Optional.of(2), Optional.empty(), Optional.empty(), Optional.empty());
    Quota quota = new Quota(null, null, null, Optional.empty(), counts);
    tables.changeSecurity(tables.security().noting(new SubjectQuota("billing", quota)));
    first.holder = "billing";
    second.holder = "billing";
    open(coordinator, first);
    open(coordinator, second);
    assertThatThrownBy(() -> open(coordinator, second))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_REACHED))
        .hasMessageContaining("'billing' has 2 sessions")
        .hasMessageContaining("sessions=2");
    assertThat(coordinator.sessionCount()).isEqualTo(2);
    coordinator.disconnected(first);
    open(coordinator, second);
    coordinator.resign("another node");
    assertThat(tables.holdings().sessionsBySubject()).isEmpty();
  }
}
