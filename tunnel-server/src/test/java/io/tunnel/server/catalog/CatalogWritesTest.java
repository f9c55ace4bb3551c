package io.tunnel.server.catalog;

import static io.tunnel.server.catalog.TestCatalogs.checkpointed;
import static io.tunnel.server.catalog.TestCatalogs.open;
import static io.tunnel.server.catalog.TestCatalogs.requireFailed;
import static io.tunnel.server.catalog.TestCatalogs.table;
import static io.tunnel.server.catalog.TestCatalogs.tunnel;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What of tunnels is written together, and what a write that fails leaves. */
final class CatalogWritesTest {

  private final MemoryCatalogStore store = new MemoryCatalogStore();

  @Test
  void only_what_changes_is_written() throws IOException {
    TunnelCatalog catalog = open(store);
    table(catalog, "t", "b");
    tunnel(catalog, "t", "n", "id");
    ChannelKey one = ChannelKey.stream(1);
    int writes = store.writes();
    catalog.store("id", Map.of(one, ChannelState.startingAt(10)));
    assertThat(store.writes()).isEqualTo(writes);
    catalog.store(
        "id",
        Map.of(
            one, ChannelState.startingAt(11), ChannelKey.stream(2), ChannelState.startingAt(20)));
    assertThat(store.lastWrite().keySet()).containsExactly("checkpoint/id/1");
    catalog.store("id", Map.of(one, ChannelState.startingAt(11).withPause(true)));
    assertThat(store.lastWrite().keySet()).containsExactly("channel/id/1");
    catalog.store("id", Map.of(one, ChannelState.startingAt(11)));
    assertThat(store.lastWrite()).containsExactly(Map.entry("channel/id/1", Optional.empty()));
  }

  @Test
  void a_crash_at_any_write_leaves_all_of_it_or_nothing() throws IOException {
    for (int crash = 0; ; crash++) {
      MemoryCatalogStore disk = new MemoryCatalogStore();
      disk.failAfter(crash);
      int done = history(disk);
      disk.failAfter(Integer.MAX_VALUE);
      TunnelCatalog now = open(disk);
      assertThat(now.tables().tables()).hasSize(done >= 1 && done < 6 ? 1 : 0);
      assertThat(now.tunnels(Optional.empty())).hasSize(done >= 2 && done < 5 ? 1 : 0);
      if (done >= 2 && done < 5) {
        long moved = done >= 3 ? 1 : 0;
        assertThat(checkpointed(now, "id", 1)).isEqualTo(10 + moved);
        assertThat(checkpointed(now, "id", 2)).isEqualTo(20 + moved);
        assertThat(now.isPaused("id")).isEqualTo(done >= 4);
      }
      if (done == 6) {
        return;
      }
    }
  }

  /** Returns how many of six steps were done before the store failed. */
  private static int history(MemoryCatalogStore disk) {
    int done = 0;
    try {
      TunnelCatalog catalog = open(disk);
      TableRecord table = table(catalog, "t", "b");
      done++;
      TunnelInfo tunnel = tunnel(catalog, "t", "n", "id");
      done++;
      catalog.store(
          "id",
          Map.of(
              ChannelKey.stream(1), ChannelState.startingAt(11),
              ChannelKey.stream(2), ChannelState.startingAt(21)));
      done++;
      catalog.pause("id", true, Asked.NAMELESS);
      done++;
      catalog.deleteTunnel(tunnel);
      done++;
      catalog.tables().dropTable(table, Asked.NAMELESS);
      done++;
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("injected");
    }
    return done;
  }

  @Test
  void a_write_that_fails_leaves_everything_as_it_was() throws IOException {
    TunnelCatalog catalog = open(store);
    TableRecord table = table(catalog, "t", "b");
    TunnelInfo tunnel = tunnel(catalog, "t", "n", "id");
    store.fail(true);
    requireFailed(() -> tunnel(catalog, "t", "m", "id2"));
    requireFailed(
        () -> catalog.store("id", Map.of(ChannelKey.stream(1), ChannelState.startingAt(99))));
    requireFailed(() -> catalog.deleteTunnel(tunnel));
    requireFailed(() -> catalog.tables().dropTable(table, Asked.NAMELESS));
    store.fail(false);
    for (TunnelCatalog now : List.of(catalog, open(store))) {
      assertThat(now.tables().tables()).containsExactly(table);
      assertThat(now.tunnels(Optional.of("t"))).containsExactly(tunnel);
      assertThat(checkpointed(now, "id", 1)).isEqualTo(10);
    }
  }

  @Test
  void a_table_is_dropped_with_its_tunnels_in_one_write() throws IOException {
    TunnelCatalog catalog = open(store);
    TableRecord table = table(catalog, "t", "b");
    table(catalog, "u");
    tunnel(catalog, "t", "n", "id");
    tunnel(catalog, "u", "n", "kept");
    int writes = store.writes();
    catalog.tables().dropTable(table, Asked.NAMELESS);
    assertThat(store.writes()).isEqualTo(writes + 1);
    assertThat(store.lastWrite())
        .containsOnlyKeys(
            "table/1",
            "tunnel/id",
            "paused/id",
            "checkpoint/id/1",
            "channel/id/1",
            "checkpoint/id/2",
            "channel/id/2");
    assertThat(store.all())
        .containsOnlyKeys(
            "counters", "table/2", "tunnel/kept", "checkpoint/kept/1", "checkpoint/kept/2");
  }
}
