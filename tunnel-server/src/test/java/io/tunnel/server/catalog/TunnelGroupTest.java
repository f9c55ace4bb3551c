package io.tunnel.server.catalog;

import static io.tunnel.server.catalog.TestCatalogs.STOPPED;
import static io.tunnel.server.catalog.TestCatalogs.key;
import static io.tunnel.server.catalog.TestCatalogs.open;
import static io.tunnel.server.catalog.TestCatalogs.requireRefused;
import static io.tunnel.server.catalog.TestCatalogs.table;
import static io.tunnel.server.catalog.TestCatalogs.tunnel;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.Skipped;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tunnels of a group, which are stored apart from the tables that they are of. */
final class TunnelGroupTest {

  private final MemoryCatalogStore store = new MemoryCatalogStore();

  /** The store of a group of tunnels. */
  private final MemoryCatalogStore ofGroup = new MemoryCatalogStore();

  @Test
  void a_group_counts_its_own_starts_and_its_ids_say_which_group_they_are_of() throws IOException {
    Catalog tables = new Catalog(store);
    for (int i = 0; i < 3; i++) {
      new TunnelCatalog(tables, ofGroup, 7);
    }
    TunnelCatalog other = new TunnelCatalog(tables, new MemoryCatalogStore(), 0);
    TunnelCatalog catalog = new TunnelCatalog(tables, ofGroup, 7);
    assertThat(catalog.starts()).isEqualTo(4);
    assertThat(catalog.startId()).isEqualTo("4g7");
    assertThat(catalog.newTunnelId(36)).isEqualTo("t4g7-10");
    assertThat(other.startId()).isEqualTo("1g0");
    assertThat(TunnelCatalog.groupOf(catalog.newTunnelId(5))).hasValue(7);
    assertThat(TunnelCatalog.groupOf(other.newTunnelId(5))).hasValue(0);
    assertThat(TunnelCatalog.groupOf(open(store).newTunnelId(5))).isEmpty();
    for (String id : List.of("", "t", "t1g-5", "t1g2", "t1g99999999999-1", "x1g2-3", "t1-g2-3")) {
      assertThat(TunnelCatalog.groupOf(id)).as(id).isEmpty();
    }
    assertThatThrownBy(() -> new TunnelCatalog(tables, ofGroup, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void tunnels_of_a_group_are_orphans_when_their_table_is_dropped_even_if_another_takes_its_name()
      throws IOException {
    Catalog tables = new Catalog(store);
    TableRecord table = table(tables, "t", "b");
    TunnelCatalog catalog = new TunnelCatalog(tables, ofGroup, 1);
    TunnelInfo tunnel = tunnel(catalog, "t", "n", "id");
    assertThat(catalog.orphans()).isEmpty();
    int writes = ofGroup.writes();
    tables.dropTable(table, Asked.NAMELESS);
    table(tables, "t");
    assertThat(ofGroup.writes()).isEqualTo(writes);
    for (TunnelCatalog now : List.of(new TunnelCatalog(tables, ofGroup, 1), catalog)) {
      assertThat(now.tunnels(Optional.empty())).isEmpty();
      assertThat(now.tunnels(Optional.of("t"))).isEmpty();
      assertThat(now.orphans()).containsExactly(tunnel);
      requireRefused(ErrorCode.TUNNEL_NOT_FOUND, "'id'", () -> now.tunnel("id"));
      requireRefused(
          ErrorCode.TUNNEL_NOT_FOUND,
          "'id'",
          () -> now.store("id", Map.of(ChannelKey.stream(1), ChannelState.startingAt(11))));
    }
    catalog.deleteTunnel(tunnel);
    assertThat(catalog.orphans()).isEmpty();
    assertThat(ofGroup.all()).containsOnlyKeys("counters");
  }

  @Test
  void tunnels_of_a_table_that_is_not_known_yet_are_no_orphans() throws IOException {
    Catalog tables = new Catalog(store);
    table(tables, "t");
    tunnel(new TunnelCatalog(tables, ofGroup, 1), "t", "n", "id");
    Catalog follower = new Catalog();
    TunnelCatalog catalog = new TunnelCatalog(follower, ofGroup, 1);
    assertThat(catalog.orphans()).isEmpty();
    follower.followed(store.lastWrite());
    follower.caughtUp();
    assertThat(catalog.orphans()).isEmpty();
    assertThat(catalog.tunnels(Optional.of("t"))).hasSize(1);
    follower.followed(Map.of("table/1", Optional.empty()));
    assertThat(catalog.orphans()).hasSize(1);
  }

  @Test
  void every_write_can_be_taken_over_when_it_is_known_later_that_it_was_stored()
      throws IOException {
    Catalog tables = new Catalog(store);
    TableRecord table = table(tables, "t", "b");
    TunnelCatalog catalog = new TunnelCatalog(tables, ofGroup, 1);
    TunnelCatalog behind = new TunnelCatalog(tables, new MemoryCatalogStore(), 1);
    ChannelKey one = ChannelKey.stream(table.partitions().get(0).id());
    TunnelInfo tunnel = tunnel(catalog, "t", "n", "id");
    behind.applied(ofGroup.lastWrite());
    assertThat(behind.tunnels(Optional.empty())).containsExactly(tunnel);
    for (ChannelState state :
        List.of(STOPPED, STOPPED.withPause(false), ChannelState.startingAt(8))) {
      catalog.store("id", Map.of(one, state));
      behind.applied(ofGroup.lastWrite());
      assertThat(behind.channels(tunnel))
          .isEqualTo(catalog.channels(tunnel))
          .containsEntry(one, state);
    }
    for (boolean isPaused : new boolean[] {true, false}) {
      catalog.pause("id", isPaused, Asked.NAMELESS);
      behind.applied(ofGroup.lastWrite());
      assertThat(behind.isPaused("id")).isEqualTo(isPaused);
    }
    catalog.deleteTunnel(tunnel);
    behind.applied(ofGroup.lastWrite());
    assertThat(behind.tunnels(Optional.empty())).isEmpty();
    assertThat(behind.channel("id", one)).isEqualTo(ChannelState.startingAt(0));
    tables.dropTable(table, Asked.NAMELESS);
    assertThat(behind.orphans()).isEmpty();
  }

  /** Bytes of the texts of skipped changes that are kept of 3,200 with the longest keys. */
  private static long keptBytes(TunnelCatalog catalog, MemoryCatalogStore texts)
      throws IOException {
    table(catalog.tables(), "t", "b");
    String longest = "\0".repeat(Limits.KEY_COLUMN_BYTES_MAX);
    for (int i = 0; i < 32; i++) {
      String id = "id" + i;
      tunnel(catalog, "t", "n" + i, id);
      List<SkippedChange> changes = new ArrayList<>();
      for (int position = 0; position < Skipped.LAST_MAX; position++) {
        changes.add(new SkippedChange(1, ChannelType.Stream, position, key(longest), "odd", i + 1));
      }
      catalog.store(Map.of(), Map.of(id, changes));
      assertThat(catalog.skipped(id).count()).isEqualTo(Skipped.LAST_MAX);
    }
    return texts.all().entrySet().stream()
        .filter(text -> text.getKey().startsWith("skipped/"))
        .mapToLong(text -> 2L * text.getValue().length())
        .sum();
  }

  @Test
  void a_server_keeps_32_mib_of_skipped_changes_and_a_group_of_a_cluster_a_sixteenth()
      throws IOException {
    Catalog tables = new Catalog(store);
    assertThat(keptBytes(new TunnelCatalog(tables), store)).isBetween(28L << 20, 34L << 20);
    TunnelCatalog group = new TunnelCatalog(new Catalog(new MemoryCatalogStore()), ofGroup, 1);
    assertThat(keptBytes(group, ofGroup)).isBetween(1L << 20, 4L << 20);
  }
}
