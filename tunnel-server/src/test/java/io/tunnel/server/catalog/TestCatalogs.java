package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.core.StopReason;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.FailedChange;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Catalogs with a table and a tunnel or two, and what is asked of them. */
final class TestCatalogs {

  static final StopReason BROKEN =
      new StopReason("broken", Optional.of(new FailedChange(8, key("k"), 1)));
  static final ChannelState STOPPED =
      new ChannelState(7, Bytes.fromHex("0a0b"), Optional.of(9L), false, true, Optional.of(BROKEN));

  private TestCatalogs() {}

  static TunnelCatalog open(CatalogStore store) throws IOException {
    return new TunnelCatalog(new Catalog(store));
  }

  static TableRecord table(TunnelCatalog catalog, String name, String... splitPoints)
      throws IOException {
    return table(catalog.tables(), name, splitPoints);
  }

  static TableRecord table(Catalog catalog, String name, String... splitPoints) throws IOException {
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (String point : splitPoints) {
      points.add(PrimaryKeyValue.fromString(point));
    }
    return catalog.createTable(new TableMeta(name, TestRows.SCHEMA), points, 5);
  }

  static PrimaryKey key(String id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  static SkippedChange skipped(long position) {
    return new SkippedChange(1, ChannelType.Stream, position, key("k" + position), "odd", 5);
  }

  static TunnelInfo tunnel(TunnelCatalog catalog, String table, String name, String id)
      throws IOException {
    return catalog.createTunnel(
        new CreateTunnel(table, name, TunnelType.Stream, StreamStart.EARLIEST),
        id,
        Map.of(
            ChannelKey.stream(1), ChannelState.startingAt(10),
            ChannelKey.stream(2), ChannelState.startingAt(20)),
        6);
  }

  static long checkpointed(TunnelCatalog catalog, String tunnelId, int partition) {
    return catalog.channel(tunnelId, ChannelKey.stream(partition)).checkpointed();
  }

  static void requireFailed(ThrowingCallable request) {
    assertThatThrownBy(request).isInstanceOf(IOException.class);
  }

  static void requireRefused(ErrorCode code, String message, ThrowingCallable request) {
    assertThatThrownBy(request)
        .hasMessageContaining(message)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
