package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Bytes;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.server.TestRows;
import io.tunnel.wire.Control.CreateTunnel;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.FailureControl.FailedChange;
import io.tunnel.wire.FailureControl.Skipped;
import io.tunnel.wire.FailureControl.SkippedChange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TunnelCatalogTest {

  private final MemoryCatalogStore store = new MemoryCatalogStore();

  /** The store of a group of tunnels. */
  private final MemoryCatalogStore ofGroup = new MemoryCatalogStore();

  private static TunnelCatalog open(CatalogStore store) throws IOException {
    return new TunnelCatalog(new Catalog(store));
  }

  private TunnelCatalog open() throws IOException {
    return open(store);
  }

  private static TableRecord table(TunnelCatalog catalog, String name, String... splitPoints)
      throws IOException {
    return table(catalog.tables(), name, splitPoints);
  }

  private static TableRecord table(Catalog catalog, String name, String... splitPoints)
      throws IOException {
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (String point : splitPoints) {
      points.add(PrimaryKeyValue.fromString(point));
    }
    return catalog.createTable(new TableMeta(name, TestRows.SCHEMA), points, 5);
  }

  private static final StopReason BROKEN =
      new StopReason("broken", Optional.of(new FailedChange(8, key("k"), 1)));
  private static final ChannelState STOPPED =
      new ChannelState(7, Bytes.fromHex("0a0b"), Optional.of(9L), false, true, Optional.of(BROKEN));

  private static PrimaryKey key(String id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static SkippedChange skipped(long position) {
    return new SkippedChange(1, ChannelType.Stream, position, key("k" + position), "odd", 5);
  }

  @Test
  void theLastChangesThatWereLeftOutAreKeptWithTheCheckpointThatPassesThem() throws IOException {
    TunnelCatalog catalog = open();
    table(catalog, "t", "b");
    TunnelInfo tunnel = tunnel(catalog, "t", "n", "id");
    ChannelKey one = ChannelKey.stream(1);
    int writes = store.writes();
    catalog.store(
        Map.of("id", Map.of(one, ChannelState.startingAt(30))),
        Map.of("id", List.of(skipped(11), skipped(12))));
    assertThat(store.writes()).isEqualTo(writes + 1);
    assertThat(open().skipped("id")).isEqualTo(new Skipped(2, List.of(skipped(11), skipped(12))));
    catalog.store(Map.of(), Map.of("id", List.of(skipped(12), skipped(13))));
    assertThat(catalog.skipped("id").count()).as("one that is known counts once").isEqualTo(3);
    List<SkippedChange> many = LongStream.range(100, 1_100).mapToObj(p -> skipped(p)).toList();
    catalog.store(Map.of(), Map.of("id", many));
    Skipped last = open().skipped("id");
    assertThat(last).isEqualTo(catalog.skipped("id"));
    assertThat(last.count()).isEqualTo(1_003);
    assertThat(last.last()).isEqualTo(many.subList(900, 1_000)).hasSize(Skipped.LAST_MAX);
    assertThat(store.all().keySet().stream().filter(name -> name.startsWith("skipped/")))
        .hasSize(Skipped.LAST_MAX);
    open().deleteTunnel(tunnel);
    assertThat(store.all().keySet()).noneMatch(name -> name.contains("/id"));
    assertThat(open().skipped("id")).isEqualTo(Skipped.NONE);
  }

  @Test
  void theIncarnationOfAPositionIsStoredWithItInOneText() throws IOException {
    TunnelCatalog catalog = open();
    table(catalog, "t", "b");
    var unused = tunnel(catalog, "t", "n", "id");
    ChannelKey key = ChannelKey.stream(1);
    ChannelState seen = ChannelState.startingAt(30).seenIn(Optional.of(258L));
    catalog.store("id", Map.of(key, seen));
    assertThat(store.all()).containsEntry("checkpoint/id/1", "30 0000000000000102");
    assertThat(open().channel("id", key)).isEqualTo(seen);
    catalog.store("id", Map.of(key, seen.withPause(true).withStop(Optional.of(BROKEN))));
    assertThat(open().channel("id", key).known()).contains(new KnownPosition(30, 258));
    catalog.store("id", Map.of(key, seen.seenIn(Optional.of(259L))));
    assertThat(open().channel("id", key).incarnation()).as("alone is news").contains(259L);
    catalog.store("id", Map.of(key, seen.withProgress(31, Bytes.EMPTY)));
    assertThat(store.all()).as("nobody said it").containsEntry("checkpoint/id/1", "31");
    assertThat(open().channel("id", key).known()).isEmpty();
  }

  private static TunnelInfo tunnel(TunnelCatalog catalog, String table, String name, String id)
      throws IOException {
    return catalog.createTunnel(
        new CreateTunnel(table, name, TunnelType.Stream, StreamStart.EARLIEST),
        id,
        Map.of(
            ChannelKey.stream(1), ChannelState.startingAt(10),
            ChannelKey.stream(2), ChannelState.startingAt(20)),
        6);
  }

  private static long checkpointed(TunnelCatalog catalog, String tunnelId, int partition) {
    return catalog.channel(tunnelId, ChannelKey.stream(partition)).checkpointed();
  }

  @Test
  void whatWasCreatedIsThereAfterAReopen(@TempDir Path directory) throws IOException {
    TableRecord table;
    TunnelInfo tunnel;
    try (TunnelCatalog catalog = TunnelCatalog.open(directory)) {
      table = table(catalog, "t", "b", "c");
      table(catalog, "dropped");
      tunnel = tunnel(catalog, "t", "n", "id/with/slashes");
      tunnel(catalog, "t", "deleted", "id2");
      catalog.store(tunnel.tunnelId(), Map.of(ChannelKey.stream(1), ChannelState.startingAt(11)));
      catalog.deleteTunnel(catalog.tunnel("id2"));
      catalog.tables().dropTable(catalog.tables().table("dropped"), Asked.NAMELESS);
    }
    try (TunnelCatalog catalog = TunnelCatalog.open(directory)) {
      assertThat(catalog.tables().tables()).containsExactly(table);
      assertThat(catalog.tables().table(table.tableId())).isEqualTo(table);
      assertThat(catalog.tunnels(Optional.empty())).containsExactly(tunnel);
      assertThat(checkpointed(catalog, tunnel.tunnelId(), 1)).isEqualTo(11);
      assertThat(checkpointed(catalog, tunnel.tunnelId(), 2)).isEqualTo(20);
      assertThat(checkpointed(catalog, "id2", 2)).isZero();
      assertThat(catalog.starts()).isEqualTo(2);
    }
  }

  @Test
  void aDroppedTableTakesItsTunnelsAlong() throws IOException {
    TunnelCatalog catalog = open();
    TableRecord table = table(catalog, "t", "b");
    tunnel(catalog, "t", "n", "id");
    catalog.tables().dropTable(table, Asked.NAMELESS);
    for (TunnelCatalog now : List.of(catalog, open())) {
      assertThat(now.tunnels(Optional.empty())).isEmpty();
      assertThat(checkpointed(now, "id", 1)).isZero();
    }
  }

  @Test
  void everythingThatIsKeptOfAChannelIsThereAfterARestart() throws IOException {
    TunnelCatalog catalog = open();
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
    catalog.pause("id", true, Asked.NAMELESS);
    TunnelCatalog again = open();
    assertThat(again.channels(tunnel))
        .containsExactly(Map.entry(base, STOPPED), Map.entry(stream, ChannelState.startingAt(40)));
    assertThat(again.isPaused("id")).isTrue();
    again.store(
        "id",
        Map.of(
            base,
            STOPPED.withPause(false).withStop(Optional.empty()).withEnd(Optional.of(7L), true)));
    again.pause("id", false, Asked.NAMELESS);
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
    TunnelCatalog catalog = open();
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
    TunnelCatalog catalog = open();
    table(catalog, "t", "b");
    store.write(
        Map.of(
            "tunnel/id",
            Optional.of(
                "{\"tunnelId\":\"id\",\"tunnel\":\"n\",\"table\":\"t\",\"type\":\"Stream\","
                    + "\"start\":\"LATEST\",\"createdMs\":6}"),
            "checkpoint/id/1",
            Optional.of("12")));
    TunnelCatalog again = open();
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

  @Test
  void nothingIsStoredForATunnelThatIsGone() throws IOException {
    TunnelCatalog catalog = open();
    table(catalog, "t", "b");
    catalog.deleteTunnel(tunnel(catalog, "t", "n", "id"));
    requireRefused(
        ErrorCode.TUNNEL_NOT_FOUND,
        "'id'",
        () -> catalog.store("id", Map.of(ChannelKey.stream(1), ChannelState.startingAt(1))));
    requireRefused(
        ErrorCode.TUNNEL_NOT_FOUND, "'id'", () -> catalog.pause("id", true, Asked.NAMELESS));
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
  void namesThatAreTakenOrUnknownAreRefused() throws IOException {
    TunnelCatalog catalog = open();
    table(catalog, "t", "b");
    tunnel(catalog, "t", "n", "id");
    requireRefused(
        ErrorCode.TUNNEL_EXISTS, "has a tunnel 'n'", () -> tunnel(catalog, "t", "n", "other"));
    requireRefused(
        ErrorCode.TABLE_NOT_FOUND, "the tables are t", () -> tunnel(catalog, "u", "n", "other"));
    requireRefused(ErrorCode.TUNNEL_NOT_FOUND, "its tunnels are n", () -> catalog.tunnel("t", "m"));
    requireRefused(ErrorCode.TUNNEL_NOT_FOUND, "'gone'", () -> catalog.tunnel("gone"));
  }

  @Test
  void aWriteThatFailsLeavesEverythingAsItWas() throws IOException {
    TunnelCatalog catalog = open();
    TableRecord table = table(catalog, "t", "b");
    TunnelInfo tunnel = tunnel(catalog, "t", "n", "id");
    store.fail(true);
    requireFailed(() -> tunnel(catalog, "t", "m", "id2"));
    requireFailed(
        () -> catalog.store("id", Map.of(ChannelKey.stream(1), ChannelState.startingAt(99))));
    requireFailed(() -> catalog.deleteTunnel(tunnel));
    requireFailed(() -> catalog.tables().dropTable(table, Asked.NAMELESS));
    store.fail(false);
    for (TunnelCatalog now : List.of(catalog, open())) {
      assertThat(now.tables().tables()).containsExactly(table);
      assertThat(now.tunnels(Optional.of("t"))).containsExactly(tunnel);
      assertThat(checkpointed(now, "id", 1)).isEqualTo(10);
    }
  }

  @Test
  void aTableIsDroppedWithItsTunnelsInOneWrite() throws IOException {
    TunnelCatalog catalog = open();
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

  @Test
  void startsAreCountedBesideTheIdsOfTablesInTheSameText() throws IOException {
    table(open(), "t", "b");
    TunnelCatalog catalog = open();
    assertThat(store.all())
        .containsEntry("counters", "{\"tables\":1,\"partitions\":2,\"starts\":2}");
    assertThat(table(catalog, "u").tableId()).isEqualTo(2);
    assertThat(store.all())
        .containsEntry("counters", "{\"tables\":2,\"partitions\":3,\"starts\":2}");
    assertThat(catalog.newTunnelId(36)).isEqualTo("t2-10");
    assertThat(catalog.newTunnelId(36)).isEqualTo("t2-11");
  }

  @Test
  void aGroupCountsItsOwnStartsAndItsIdsSayWhichGroupTheyAreOf() throws IOException {
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
    assertThat(TunnelCatalog.groupOf(open().newTunnelId(5))).isEmpty();
    for (String id : List.of("", "t", "t1g-5", "t1g2", "t1g99999999999-1", "x1g2-3", "t1-g2-3")) {
      assertThat(TunnelCatalog.groupOf(id)).as(id).isEmpty();
    }
    assertThatThrownBy(() -> new TunnelCatalog(tables, ofGroup, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void tunnelsOfAGroupAreOrphansWhenTheirTableIsDroppedEvenIfAnotherTakesItsName()
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
  void tunnelsOfATableThatIsNotKnownYetAreNoOrphans() throws IOException {
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
  void everyWriteCanBeTakenOverWhenItIsKnownLaterThatItWasStored() throws IOException {
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

  private static void requireFailed(ThrowingCallable request) {
    assertThatThrownBy(request).isInstanceOf(IOException.class);
  }

  private static void requireRefused(ErrorCode code, String message, ThrowingCallable request) {
    assertThatThrownBy(request)
        .hasMessageContaining(message)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
