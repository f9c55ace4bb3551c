package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Holdings.OfTables;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.security.Quota;
import io.tunnel.server.security.Quota.Counts;
import io.tunnel.server.security.SecuritySnapshot.SubjectQuota;
import io.tunnel.wire.control.Control.CreateTunnel;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** As much as a quota allows is had, and one more is refused. */
final class HoldingsTest {

  private static final Asked BILLING = new Asked(Optional.empty(), "", Optional.of("billing"));
  private static final Asked REPORTS = new Asked(Optional.empty(), "", Optional.of("reports"));

  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private Catalog catalog = new Catalog(store);
  private TunnelCatalog tunnels = new TunnelCatalog(catalog);
  private int created;

  HoldingsTest() throws IOException {}

  private void quota(String subject, int sessions, int tunnelsMax, int tables, int partitions)
      throws IOException {
    Counts counts =
        new Counts(
            Optional.empty(),
            Optional.of(sessions),
            Optional.of(tunnelsMax),
            subject.startsWith("table:") ? Optional.empty() : Optional.of(tables),
            Optional.of(partitions));
    Quota quota =
        new Quota(Quota.Rates.NONE, Quota.Rates.NONE, Quota.Rates.NONE, Optional.empty(), counts);
    catalog.changeSecurity(catalog.security().noting(new SubjectQuota(subject, quota)));
  }

  private TableRecord create(Asked asked, String... splitPoints) throws IOException {
    return create("t" + ++created, asked, splitPoints);
  }

  private TableRecord create(String name, Asked asked, String... splitPoints) throws IOException {
    return catalog.createTable(
        catalog.planTable(
            new TableMeta(name, TestRows.SCHEMA),
            List.of(splitPoints).stream().map(PrimaryKeyValue::fromString).toList(),
            0,
            0,
            asked.by()),
        asked);
  }

  private void createTunnel(TableRecord table, String name, Asked asked) throws IOException {
    Map<ChannelKey, ChannelState> states = new TreeMap<>();
    table
        .partitions()
        .forEach(one -> states.put(ChannelKey.stream(one.id()), ChannelState.startingAt(0)));
    var unused =
        tunnels.createTunnel(
            new CreateTunnel(table.meta().name(), name, TunnelType.Stream, StreamStart.EARLIEST),
            tunnels.newTunnelId(1),
            states,
            0,
            asked);
  }

  private static void requireRefused(ThrowingCallable creation, String message) {
    assertThatThrownBy(creation)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_REACHED))
        .hasMessageStartingWith(message)
        .hasMessageContaining("ask for a higher quota");
  }

  @Test
  void tables_of_a_principal() throws IOException {
    quota("billing", 9, 9, 2, 9);
    TableRecord first = create(BILLING);
    create(BILLING);
    requireRefused(
        () -> create(BILLING),
        "'billing' has 2 tables, and 1 more would be over its quota (tables=2)");
    create(REPORTS);
    create(Asked.NAMELESS);
    catalog.dropTable(first, BILLING);
    create(BILLING);
  }

  @Test
  void no_quota_binds_an_exempt_principal() throws IOException {
    quota("billing", 0, 0, 0, 0);
    quota("table:t1", 0, 0, 0, 0);
    catalog.holdings().exempt(principal -> principal.name().equals("billing"));
    createTunnel(create(BILLING), "a", BILLING);
    catalog.holdings().openSession("billing", "t1");
    requireRefused(() -> catalog.holdings().openSession("reports", "t1"), "table 't1' has 1");
  }

  @Test
  void partitions_of_a_principal_and_of_a_table() throws IOException {
    quota("billing", 9, 9, 9, 5);
    create(BILLING, "m");
    create(BILLING, "g", "m");
    requireRefused(
        () -> create(BILLING),
        "'billing' has 5 partitions, and 1 more would be over its quota (partitions=5)");
    quota("table:small", 9, 9, 0, 2);
    requireRefused(
        () -> create("small", REPORTS, "g", "m"),
        "table 'small' has 0 partitions, and 3 more would be over its quota (partitions=2)");
    assertThat(create("small", REPORTS, "m").creator()).contains("reports");
  }

  @Test
  void tunnels_of_a_principal_and_of_a_table() throws IOException {
    quota("billing", 9, 2, 9, 9);
    TableRecord first = create(REPORTS);
    TableRecord second = create(REPORTS);
    createTunnel(first, "a", BILLING);
    createTunnel(second, "a", BILLING);
    requireRefused(
        () -> createTunnel(second, "b", BILLING),
        "'billing' has 2 tunnels, and 1 more would be over its quota (tunnels=2)");
    quota("table:" + second.meta().name(), 9, 2, 0, 9);
    createTunnel(second, "b", REPORTS);
    requireRefused(
        () -> createTunnel(second, "c", REPORTS),
        "table 't2' has 2 tunnels, and 1 more would be over its quota (tunnels=2)");
    tunnels.deleteTunnel(tunnels.tunnel("t1", "a"));
    tunnels.deleteTunnel(tunnels.tunnel("t2", "b"));
    createTunnel(second, "b", BILLING);
  }

  @Test
  void sessions_of_a_principal_and_of_a_table() throws IOException {
    quota("billing", 2, 9, 9, 9);
    quota("table:orders", 3, 9, 9, 9);
    Holdings holdings = catalog.holdings();
    holdings.openSession("billing", "orders");
    holdings.openSession("billing", "orders");
    requireRefused(
        () -> holdings.openSession("billing", "other"),
        "'billing' has 2 sessions, and 1 more would be over its quota (sessions=2)");
    holdings.openSession("reports", "orders");
    requireRefused(
        () -> holdings.openSession("reports", "orders"),
        "table 'orders' has 3 sessions, and 1 more would be over its quota (sessions=3)");
    holdings.openSession("", "orders");
    assertThat(holdings.sessionsBySubject())
        .isEqualTo(Map.of("billing", 2, "reports", 1, "table:orders", 3));
    holdings.closeSession("billing", "orders");
    holdings.closeSession("billing", "orders");
    holdings.closeSession("reports", "orders");
    holdings.closeSession("", "orders");
    assertThat(holdings.sessionsBySubject()).isEmpty();
  }

  @Test
  void who_created_things_is_known_behind_a_restart_and_they_stay_when_the_quota_is_lowered()
      throws IOException {
    TableRecord table = create(BILLING, "m");
    createTunnel(table, "a", BILLING);
    catalog = new Catalog(store);
    tunnels = new TunnelCatalog(catalog);
    assertThat(catalog.holdings().tablesByCreator())
        .isEqualTo(Map.of("billing", new OfTables(1, 2)));
    assertThat(tunnels.tunnelsByCreator()).isEqualTo(Map.of("billing", 1));
    quota("billing", 0, 0, 0, 0);
    assertThat(catalog.tables()).hasSize(1);
    requireRefused(() -> create(BILLING), "'billing' has 1 tables");
    requireRefused(() -> createTunnel(table, "b", BILLING), "'billing' has 1 tunnels");
    requireRefused(() -> catalog.holdings().openSession("billing", "t1"), "'billing' has 0");
  }

  @Test
  void records_of_an_older_version_have_nobody() throws IOException {
    TableRecord table = create(Asked.NAMELESS);
    createTunnel(table, "a", Asked.NAMELESS);
    assertThat(store.all().values()).noneMatch(text -> text.contains("creator"));
    catalog = new Catalog(store);
    tunnels = new TunnelCatalog(catalog);
    assertThat(catalog.table("t1").creator()).isEmpty();
    assertThat(tunnels.tunnel("t1", "a").creator()).isEmpty();
    assertThat(catalog.holdings().tablesByCreator()).isEmpty();
    assertThat(tunnels.tunnelsByCreator()).isEmpty();
  }
}
