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
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.wire.control.Control.CreateTunnel;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** As much as allowed is created, and one more is refused with the limit's name. */
final class CatalogLimitsTest {

  private final Catalog catalog = new Catalog(new MemoryCatalogStore());
  private final TunnelCatalog tunnels = new TunnelCatalog(catalog);
  private int tables;

  CatalogLimitsTest() throws IOException {}

  private void limit(int tablesMax, int partitionsMax, int tunnelsMax, int channelsMax) {
    CatalogConfig config = new CatalogConfig(tablesMax, partitionsMax, tunnelsMax, channelsMax);
    catalog.limit(() -> config);
  }

  private TableRecord create(String... splitPoints) throws IOException {
    return catalog.createTable(
        new TableMeta("t" + ++tables, TestRows.SCHEMA),
        List.of(splitPoints).stream().map(PrimaryKeyValue::fromString).toList(),
        0);
  }

  private void createTunnel(TableRecord table, String name, TunnelType type) throws IOException {
    Map<ChannelKey, ChannelState> states = new TreeMap<>();
    for (PartitionRecord partition : table.partitions()) {
      ChannelKey.of(type, partition.id())
          .forEach(key -> states.put(key, ChannelState.startingAt(0)));
    }
    CreateTunnel request = new CreateTunnel(table.meta().name(), name, type, StreamStart.EARLIEST);
    var unused = tunnels.createTunnel(request, tunnels.newTunnelId(1), states, 0);
  }

  private static void requireRefused(String setting, ThrowingCallable creation) {
    assertThatThrownBy(creation)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_REACHED))
        .hasMessageContaining("catalog." + setting)
        .hasMessageContaining("raise the limit");
  }

  @Test
  void tables_are_limited() throws IOException {
    limit(2, 100, 100, 100);
    TableRecord first = create();
    create();
    requireRefused("tablesMax = 2", this::create);
    catalog.dropTable(first, Asked.NAMELESS);
    assertThat(create().partitions()).hasSize(1);
  }

  @Test
  void the_partitions_of_all_tables_are_limited() throws IOException {
    limit(100, 5, 100, 100);
    create("m");
    create("g", "m");
    requireRefused("partitionsMax = 5", this::create);
  }

  @Test
  void the_tunnels_of_a_table_are_limited() throws IOException {
    limit(100, 100, 2, 100);
    TableRecord table = create();
    createTunnel(table, "a", TunnelType.Stream);
    createTunnel(table, "b", TunnelType.Stream);
    requireRefused("tunnelsOfTableMax = 2", () -> createTunnel(table, "c", TunnelType.Stream));
    createTunnel(create(), "c", TunnelType.Stream);
  }

  @Test
  void the_channels_of_all_tunnels_are_limited() throws IOException {
    limit(100, 100, 100, 6);
    TableRecord table = create("m");
    createTunnel(table, "a", TunnelType.BaseAndStream);
    requireRefused("channelsMax = 6", () -> createTunnel(table, "b", TunnelType.BaseAndStream));
    createTunnel(table, "b", TunnelType.Stream);
  }

  @Test
  void a_cluster_with_more_nodes_may_have_fewer_partitions() {
    assertThat(CatalogConfig.DEFAULT.forNodes(0)).isEqualTo(CatalogConfig.DEFAULT);
    assertThat(CatalogConfig.DEFAULT.forNodes(14)).isEqualTo(CatalogConfig.DEFAULT);
    assertThat(CatalogConfig.DEFAULT.forNodes(30).partitionsMax()).isEqualTo(4_666);
  }
}
