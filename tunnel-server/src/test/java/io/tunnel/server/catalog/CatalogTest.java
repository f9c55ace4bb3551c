package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Bytes;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.server.TestRows;
import io.tunnel.wire.Control.CreateTunnel;
import io.tunnel.wire.Control.TunnelInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CatalogTest {

  private final MemoryCatalogStore store = new MemoryCatalogStore();

  private Catalog open() throws IOException {
    return new Catalog(store);
  }

  private static TableRecord table(Catalog catalog, String name, String... splitPoints)
      throws IOException {
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (String point : splitPoints) {
      points.add(PrimaryKeyValue.fromString(point));
    }
    return catalog.createTable(new TableMeta(name, TestRows.SCHEMA), points, 5);
  }

  private static TunnelInfo tunnel(Catalog catalog, String table, String name, String id)
      throws IOException {
    return catalog.createTunnel(
        new CreateTunnel(table, name, TunnelType.Stream, StreamStart.EARLIEST),
        id,
        Map.of(
            ChannelKey.stream(1), ChannelState.startingAt(10),
            ChannelKey.stream(2), ChannelState.startingAt(20)),
        6);
  }

  private static long checkpointed(Catalog catalog, String tunnelId, int partition) {
    return catalog.channel(tunnelId, ChannelKey.stream(partition)).checkpointed();
  }

  @Test
  void otherOptionsOfATableAreThereAfterAReopenAndAllElseStays() throws IOException {
    Catalog catalog = open();
    TableRecord table = table(catalog, "t", "b");
    TableOptions options = new TableOptions(Durability.OS, 5, 6);
    TableRecord altered = catalog.alterTable(table, options);
    assertThat(altered.meta().options()).isEqualTo(options);
    assertThat(altered.partitions()).isEqualTo(table.partitions());
    assertThat(altered.tableId()).isEqualTo(table.tableId());
    assertThat(altered.createdMs()).isEqualTo(table.createdMs());
    assertThat(catalog.table("t")).isEqualTo(altered);
    assertThat(catalog.table(table.tableId())).isEqualTo(altered);
    assertThat(open().table("t")).isEqualTo(altered);
  }

  @Test
  void whatWasCreatedIsThereAfterAReopen(@TempDir Path directory) throws IOException {
    TableRecord table;
    TunnelInfo tunnel;
    try (Catalog catalog = Catalog.open(directory)) {
      table = table(catalog, "t", "b", "c");
      table(catalog, "dropped");
      tunnel = tunnel(catalog, "t", "n", "id/with/slashes");
      tunnel(catalog, "t", "deleted", "id2");
      catalog.store(tunnel.tunnelId(), Map.of(ChannelKey.stream(1), ChannelState.startingAt(11)));
      catalog.deleteTunnel(catalog.tunnel("id2"));
      catalog.dropTable(catalog.table("dropped"));
    }
    try (Catalog catalog = Catalog.open(directory)) {
      assertThat(catalog.tables()).containsExactly(table);
      assertThat(catalog.table(table.tableId())).isEqualTo(table);
      assertThat(catalog.tunnels(Optional.empty())).containsExactly(tunnel);
      assertThat(checkpointed(catalog, tunnel.tunnelId(), 1)).isEqualTo(11);
      assertThat(checkpointed(catalog, tunnel.tunnelId(), 2)).isEqualTo(20);
      assertThat(checkpointed(catalog, "id2", 2)).isZero();
      assertThat(catalog.starts()).isEqualTo(2);
    }
  }

  @Test
  void idsAreNeverUsedAgain() throws IOException {
    Catalog catalog = open();
    TableRecord first = table(catalog, "t", "b", "c");
    catalog.dropTable(first);
    TableRecord second = table(open(), "t", "b");
    assertThat(second.tableId()).isGreaterThan(first.tableId());
    assertThat(second.partitions())
        .extracting(PartitionRecord::id)
        .doesNotContainAnyElementsOf(first.partitions().stream().map(PartitionRecord::id).toList());
  }

  @Test
  void partitionsCoverEveryKeyOnce() throws IOException {
    TableRecord table = table(open(), "t", "b", "bb", "c");
    for (String key : new String[] {"", "a", "b", "b\0", "ba", "bb", "bz", "c", "zz"}) {
      PartitionRecord partition = table.partitionOf(TestRows.keyBytes(key));
      int expected = 0;
      for (String bound : new String[] {"b", "bb", "c"}) {
        expected += key.compareTo(bound) >= 0 ? 1 : 0;
      }
      assertThat(table.partitions().indexOf(partition)).as("key '%s'", key).isEqualTo(expected);
    }
  }

  @Test
  void splitPointsMustRiseAndBeOfTheKeysTypeAndNotTooMany() throws IOException {
    Catalog catalog = open();
    requireRefused(
        ErrorCode.INVALID_REQUEST, "split points must rise", () -> table(catalog, "t", "b", "b"));
    requireRefused(
        ErrorCode.INVALID_REQUEST, "split points must rise", () -> table(catalog, "t", "b", "a"));
    requireRefused(
        ErrorCode.KEY_MISMATCH,
        "the first key column is STRING",
        () ->
            catalog.createTable(
                new TableMeta("t", TestRows.SCHEMA), List.of(PrimaryKeyValue.fromLong(1)), 0));
    String[] points = new String[Limits.TABLE_PARTITIONS_MAX];
    for (int i = 0; i < points.length; i++) {
      points[i] = String.format("%05d", i);
    }
    requireRefused(
        ErrorCode.INVALID_REQUEST, "at most 1024 partitions", () -> table(catalog, "t", points));
    assertThat(catalog.tables()).isEmpty();
    String[] most = Arrays.copyOf(points, points.length - 1);
    assertThat(table(catalog, "t", most).partitions()).hasSize(Limits.TABLE_PARTITIONS_MAX);
  }

  @Test
  void namesThatAreTakenOrUnknownAreRefused() throws IOException {
    Catalog catalog = open();
    table(catalog, "t", "b");
    tunnel(catalog, "t", "n", "id");
    requireRefused(ErrorCode.TABLE_EXISTS, "a table 't' exists", () -> table(catalog, "t"));
    requireRefused(
        ErrorCode.TUNNEL_EXISTS, "has a tunnel 'n'", () -> tunnel(catalog, "t", "n", "other"));
    requireRefused(ErrorCode.TABLE_NOT_FOUND, "the tables are [t]", () -> catalog.table("u"));
    requireRefused(ErrorCode.TABLE_NOT_FOUND, "id 99", () -> catalog.table(99));
    requireRefused(
        ErrorCode.TUNNEL_NOT_FOUND, "its tunnels are [n]", () -> catalog.tunnel("t", "m"));
    requireRefused(ErrorCode.TUNNEL_NOT_FOUND, "'gone'", () -> catalog.tunnel("gone"));
  }

  @Test
  void aWriteThatFailsLeavesEverythingAsItWas() throws IOException {
    Catalog catalog = open();
    TableRecord table = table(catalog, "t", "b");
    TunnelInfo tunnel = tunnel(catalog, "t", "n", "id");
    store.fail(true);
    requireFailed(() -> table(catalog, "u"));
    requireFailed(() -> tunnel(catalog, "t", "m", "id2"));
    requireFailed(
        () -> catalog.store("id", Map.of(ChannelKey.stream(1), ChannelState.startingAt(99))));
    requireFailed(() -> catalog.deleteTunnel(tunnel));
    requireFailed(() -> catalog.dropTable(table));
    store.fail(false);
    for (Catalog now : List.of(catalog, open())) {
      assertThat(now.tables()).containsExactly(table);
      assertThat(now.tunnels(Optional.of("t"))).containsExactly(tunnel);
      assertThat(checkpointed(now, "id", 1)).isEqualTo(10);
    }
    assertThat(table(catalog, "u").tableId()).isEqualTo(table.tableId() + 1);
  }

  @Test
  void aDroppedTableTakesItsTunnelsAlong() throws IOException {
    Catalog catalog = open();
    TableRecord table = table(catalog, "t", "b");
    tunnel(catalog, "t", "n", "id");
    catalog.dropTable(table);
    for (Catalog now : List.of(catalog, open())) {
      assertThat(now.tunnels(Optional.empty())).isEmpty();
      assertThat(checkpointed(now, "id", 1)).isZero();
    }
  }

  private static final ChannelState STOPPED =
      new ChannelState(
          7, Bytes.fromHex("0a0b"), Optional.of(9L), false, true, Optional.of("broken"));

  @Test
  void everythingThatIsKeptOfAChannelIsThereAfterARestart() throws IOException {
    Catalog catalog = open();
    TableRecord table = table(catalog, "t");
    int partition = table.partitions().get(0).id();
    ChannelKey base = ChannelKey.base(partition);
    ChannelKey stream = ChannelKey.stream(partition);
    TunnelInfo tunnel =
        catalog.createTunnel(
            new CreateTunnel("t", "n", TunnelType.BaseAndStream, StreamStart.EARLIEST),
            "id",
            Map.of(base, ChannelState.startingAt(0), stream, ChannelState.startingAt(40)),
            6);
    catalog.store("id", Map.of(base, STOPPED));
    catalog.pause("id", true);
    Catalog again = open();
    assertThat(again.channels(tunnel))
        .containsExactly(Map.entry(base, STOPPED), Map.entry(stream, ChannelState.startingAt(40)));
    assertThat(again.isPaused("id")).isTrue();
    again.store(
        "id",
        Map.of(
            base,
            STOPPED.withPause(false).withError(Optional.empty()).withEnd(Optional.of(7L), true)));
    again.pause("id", false);
    assertThat(open().channel("id", base))
        .isEqualTo(
            new ChannelState(
                7, Bytes.fromHex("0a0b"), Optional.of(7L), true, false, Optional.empty()));
    assertThat(open().isPaused("id")).isFalse();
    open().deleteTunnel(tunnel);
    assertThat(store.all().keySet()).noneMatch(name -> name.contains("/id"));
  }

  @Test
  void onlyWhatChangesIsWritten() throws IOException {
    Catalog catalog = open();
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
  void aCatalogOfTheFirstVersionIsRead() throws IOException {
    Catalog catalog = open();
    table(catalog, "t", "b");
    store.write(
        Map.of(
            "tunnel/id",
            Optional.of(
                "{\"tunnelId\":\"id\",\"tunnel\":\"n\",\"table\":\"t\",\"type\":\"Stream\","
                    + "\"start\":\"LATEST\",\"createdMs\":6}"),
            "checkpoint/id/1",
            Optional.of("12")));
    Catalog again = open();
    assertThat(again.channels(again.tunnel("id")))
        .containsExactly(
            Map.entry(ChannelKey.stream(1), ChannelState.startingAt(12)),
            Map.entry(ChannelKey.stream(2), ChannelState.startingAt(0)));
  }

  @Test
  void aCrashAtAnyWriteLeavesAllOfItOrNothing() throws IOException {
    for (int crash = 0; ; crash++) {
      MemoryCatalogStore disk = new MemoryCatalogStore();
      disk.failAfter(crash);
      int done = history(disk);
      disk.failAfter(Integer.MAX_VALUE);
      Catalog now = new Catalog(disk);
      assertThat(now.tables()).hasSize(done >= 1 && done < 6 ? 1 : 0);
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
      Catalog catalog = new Catalog(disk);
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
      catalog.pause("id", true);
      done++;
      catalog.deleteTunnel(tunnel);
      done++;
      catalog.dropTable(table);
      done++;
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("injected");
    }
    return done;
  }

  @Test
  void nothingIsStoredForATunnelThatIsGone() throws IOException {
    Catalog catalog = open();
    table(catalog, "t", "b");
    catalog.deleteTunnel(tunnel(catalog, "t", "n", "id"));
    requireRefused(
        ErrorCode.TUNNEL_NOT_FOUND,
        "'id'",
        () -> catalog.store("id", Map.of(ChannelKey.stream(1), ChannelState.startingAt(1))));
    requireRefused(ErrorCode.TUNNEL_NOT_FOUND, "'id'", () -> catalog.pause("id", true));
  }

  private static void requireFailed(ThrowingCallable request) {
    assertThatThrownBy(request).isInstanceOf(IOException.class);
  }

  private static void requireRefused(ErrorCode code, String message, ThrowingCallable request) {
    assertThatThrownBy(request)
        .hasMessageContaining(message)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
