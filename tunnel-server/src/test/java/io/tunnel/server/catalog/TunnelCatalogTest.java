package io.tunnel.server.catalog;

import static io.tunnel.server.catalog.TestCatalogs.BROKEN;
import static io.tunnel.server.catalog.TestCatalogs.STOPPED;
import static io.tunnel.server.catalog.TestCatalogs.checkpointed;
import static io.tunnel.server.catalog.TestCatalogs.key;
import static io.tunnel.server.catalog.TestCatalogs.open;
import static io.tunnel.server.catalog.TestCatalogs.requireRefused;
import static io.tunnel.server.catalog.TestCatalogs.skipped;
import static io.tunnel.server.catalog.TestCatalogs.table;
import static io.tunnel.server.catalog.TestCatalogs.tunnel;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.Skipped;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TunnelCatalogTest {

  private final MemoryCatalogStore store = new MemoryCatalogStore();

  @Test
  void what_was_created_is_there_after_a_reopen(@TempDir Path directory) throws IOException {
    TableRecord table;
    TunnelInfo tunnel;
    try (TunnelCatalog catalog = TunnelCatalog.open(directory, () -> 0)) {
      table = table(catalog, "t", "b", "c");
      table(catalog, "dropped");
      tunnel = tunnel(catalog, "t", "n", "id/with/slashes");
      tunnel(catalog, "t", "deleted", "id2");
      catalog.store(tunnel.tunnelId(), Map.of(ChannelKey.stream(1), ChannelState.startingAt(11)));
      catalog.deleteTunnel(catalog.tunnel("id2"));
      catalog.tables().dropTable(catalog.tables().table("dropped"), Asked.NAMELESS);
    }
    try (TunnelCatalog catalog = TunnelCatalog.open(directory, () -> 0)) {
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
  void everything_that_is_kept_of_a_channel_is_there_after_a_restart() throws IOException {
    TunnelCatalog catalog = open(store);
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
    TunnelCatalog again = open(store);
    assertThat(again.channels(tunnel))
        .containsExactly(Map.entry(base, STOPPED), Map.entry(stream, ChannelState.startingAt(40)));
    assertThat(again.isPaused("id")).isTrue();
    again.store(
        "id",
        Map.of(
            base,
            STOPPED.withPause(false).withStop(Optional.empty()).withEnd(Optional.of(7L), true)));
    again.pause("id", false, Asked.NAMELESS);
    assertThat(open(store).channel("id", base))
        .isEqualTo(
            new ChannelState(
                7, Bytes.fromHex("0a0b"), Optional.of(7L), true, false, Optional.empty()));
    assertThat(open(store).isPaused("id")).isFalse();
    open(store).deleteTunnel(tunnel);
    assertThat(store.all().keySet()).noneMatch(name -> name.contains("/id"));
  }

  @Test
  void the_last_changes_that_were_left_out_are_kept_with_the_checkpoint_that_passes_them()
      throws IOException {
    TunnelCatalog catalog = open(store);
    table(catalog, "t", "b");
    TunnelInfo tunnel = tunnel(catalog, "t", "n", "id");
    ChannelKey one = ChannelKey.stream(1);
    int writes = store.writes();
    catalog.store(
        Map.of("id", Map.of(one, ChannelState.startingAt(30))),
        Map.of("id", List.of(skipped(11), skipped(12))));
    assertThat(store.writes()).isEqualTo(writes + 1);
    assertThat(open(store).skipped("id"))
        .isEqualTo(new Skipped(2, List.of(skipped(11), skipped(12))));
    catalog.store(Map.of(), Map.of("id", List.of(skipped(12), skipped(13))));
    assertThat(catalog.skipped("id").count()).as("one that is known counts once").isEqualTo(3);
    List<SkippedChange> many = LongStream.range(100, 1_100).mapToObj(p -> skipped(p)).toList();
    catalog.store(Map.of(), Map.of("id", many));
    Skipped last = open(store).skipped("id");
    assertThat(last).isEqualTo(catalog.skipped("id"));
    assertThat(last.count()).isEqualTo(1_003);
    assertThat(last.last()).isEqualTo(many.subList(900, 1_000)).hasSize(Skipped.LAST_MAX);
    assertThat(store.all().keySet().stream().filter(name -> name.startsWith("skipped/")))
        .hasSize(Skipped.LAST_MAX);
    open(store).deleteTunnel(tunnel);
    assertThat(store.all().keySet()).noneMatch(name -> name.contains("/id"));
    assertThat(open(store).skipped("id")).isEqualTo(Skipped.NONE);
  }

  @Test
  void the_incarnation_of_a_position_is_stored_with_it_in_one_text() throws IOException {
    TunnelCatalog catalog = open(store);
    table(catalog, "t", "b");
    var unused = tunnel(catalog, "t", "n", "id");
    ChannelKey key = ChannelKey.stream(1);
    ChannelState seen = ChannelState.startingAt(30).seenIn(Optional.of(258L));
    catalog.store("id", Map.of(key, seen));
    assertThat(store.all()).containsEntry("checkpoint/id/1", "30 i=102");
    assertThat(open(store).channel("id", key)).isEqualTo(seen);
    catalog.store("id", Map.of(key, seen.withPause(true).withStop(Optional.of(BROKEN))));
    assertThat(open(store).channel("id", key).known()).contains(new KnownPosition(30, 258));
    catalog.store("id", Map.of(key, seen.seenIn(Optional.of(259L))));
    assertThat(open(store).channel("id", key).incarnation()).as("alone is news").contains(259L);
    catalog.store("id", Map.of(key, seen.withProgress(31, Bytes.EMPTY)));
    assertThat(store.all()).as("nobody said it").containsEntry("checkpoint/id/1", "31");
    assertThat(open(store).channel("id", key).known()).isEmpty();
  }

  @Test
  void a_catalog_of_the_first_version_is_read() throws IOException {
    TunnelCatalog catalog = open(store);
    table(catalog, "t", "b");
    store.write(
        Map.of(
            "tunnel/id",
            Optional.of(
                "{\"tunnelId\":\"id\",\"tunnel\":\"n\",\"table\":\"t\",\"type\":\"Stream\","
                    + "\"start\":\"LATEST\",\"createdMs\":6}"),
            "checkpoint/id/1",
            Optional.of("12")));
    TunnelCatalog again = open(store);
    assertThat(again.channels(again.tunnel("id")))
        .containsExactly(
            Map.entry(ChannelKey.stream(1), ChannelState.startingAt(12)),
            Map.entry(ChannelKey.stream(2), ChannelState.startingAt(0)));
  }

  @Test
  void a_field_of_a_checkpoint_that_is_unknown_is_skipped_or_refused_by_its_first_letter()
      throws IOException {
    TunnelCatalog catalog = open(store);
    table(catalog, "t", "b");
    var unused = tunnel(catalog, "t", "n", "id");
    store.write(Map.of("checkpoint/id/1", Optional.of("30 x=7 i=102")));
    assertThat(open(store).channel("id", ChannelKey.stream(1)).known())
        .contains(new KnownPosition(30, 258));
    for (String bad : List.of("30 X=7", "30 =7", "30 ", "30 7")) {
      store.write(Map.of("checkpoint/id/1", Optional.of(bad)));
      assertThatThrownBy(() -> open(store))
          .as(bad)
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining("checkpoint/id/1");
    }
    store.write(Map.of("checkpoint/id/1", Optional.of("30 X=7")));
    assertThatThrownBy(() -> open(store))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("with the field 'X', which this build does not know");
    store.write(Map.of("checkpoint/id/1", Optional.of("30")));
    store.write(Map.of("channel/id/1", Optional.of("{\"isPaused\":true,\"mood\":1}")));
    assertThatThrownBy(() -> open(store))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("channel/id/1 with the member 'mood'");
  }

  @Test
  void a_dropped_table_takes_its_tunnels_along() throws IOException {
    TunnelCatalog catalog = open(store);
    TableRecord table = table(catalog, "t", "b");
    tunnel(catalog, "t", "n", "id");
    catalog.tables().dropTable(table, Asked.NAMELESS);
    for (TunnelCatalog now : List.of(catalog, open(store))) {
      assertThat(now.tunnels(Optional.empty())).isEmpty();
      assertThat(checkpointed(now, "id", 1)).isZero();
    }
  }

  @Test
  void nothing_is_stored_for_a_tunnel_that_is_gone() throws IOException {
    TunnelCatalog catalog = open(store);
    table(catalog, "t", "b");
    catalog.deleteTunnel(tunnel(catalog, "t", "n", "id"));
    requireRefused(
        ErrorCode.TUNNEL_NOT_FOUND,
        "'id'",
        () -> catalog.store("id", Map.of(ChannelKey.stream(1), ChannelState.startingAt(1))));
    requireRefused(
        ErrorCode.TUNNEL_NOT_FOUND, "'id'", () -> catalog.pause("id", true, Asked.NAMELESS));
  }

  @Test
  void names_that_are_taken_or_unknown_are_refused() throws IOException {
    TunnelCatalog catalog = open(store);
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
  void starts_are_counted_beside_the_ids_of_tables_in_the_same_text() throws IOException {
    table(open(store), "t", "b");
    TunnelCatalog catalog = open(store);
    assertThat(store.all())
        .containsEntry("counters", "{\"tables\":1,\"partitions\":2,\"starts\":2}");
    assertThat(table(catalog, "u").tableId()).isEqualTo(2);
    assertThat(store.all())
        .containsEntry("counters", "{\"tables\":2,\"partitions\":3,\"starts\":2}");
    assertThat(catalog.newTunnelId(36)).isEqualTo("t2-10");
    assertThat(catalog.newTunnelId(36)).isEqualTo("t2-11");
  }
}
