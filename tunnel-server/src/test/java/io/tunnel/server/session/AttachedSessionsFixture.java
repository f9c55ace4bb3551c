package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.FakeBounds;
import io.tunnel.server.changes.KnownBounds;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.changes.SharedLogBounds;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.server.session.fake.FakeSurroundings;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.BeforeEach;

/** A node that coordinates tunnels of a table whose partitions other nodes lead. */
abstract class AttachedSessionsFixture {

  static final int GROUP = 1;
  static final Bytes KEY = TestRows.keyBytes("k");

  final MemoryCatalogStore store = new MemoryCatalogStore();
  final FakeSession port = new FakeSession();
  final FakeSurroundings surroundings = new FakeSurroundings();
  final FakeBounds log = new FakeBounds();
  final KnownBounds known = new KnownBounds();
  final Handles handles = new Handles();
  final List<TunnelInfo> created = new ArrayList<>();
  final List<Exception> failed = new ArrayList<>();
  TableRecord table;
  TunnelCatalog catalog;
  ChannelGrants grants;
  Coordinator coordinator;
  Operators operators;
  int low;
  int high;

  @BeforeEach
  void open() throws IOException {
    MemoryCatalogStore texts = new MemoryCatalogStore();
    new Founding(new CatalogIdentity(Bytes.fromHex("51")), Bytes.fromHex("52"), 1, LogForm.ROWS)
        .noteIn(texts);
    Catalog tables = new Catalog(texts);
    grants = tables.grants();
    table =
        tables.createTable(
            new TableMeta("t", TestRows.SCHEMA), List.of(PrimaryKeyValue.fromString("m")), 0);
    low = table.partitions().get(0).id();
    high = table.partitions().get(1).id();
    log.set(low, 3, 20);
    log.set(high, 1, 10);
    catalog = new TunnelCatalog(tables, store, GROUP);
    SharedLogBounds bounds = new SharedLogBounds(log, known, surroundings::control);
    coordinator =
        new Coordinator(
            catalog,
            new Coordinator.Naming(handles, tables.grants()),
            bounds,
            new SessionConfig(300, 1_000),
            surroundings);
    operators = new Operators(catalog, bounds, coordinator, surroundings);
  }

  TunnelInfo create(
      TunnelType type, StreamStart start, Optional<Long> startMs, Optional<Long> endMs) {
    operators.create(
        new CreateTunnel("t", "n", type, start, startMs, endMs),
        Asked.NAMELESS,
        new Operators.Creation() {
          @Override
          public void created(TunnelInfo tunnel) {
            created.add(tunnel);
          }

          @Override
          public void failed(Exception reason) {
            failed.add(reason);
          }
        });
    surroundings.passBarriers();
    return created.get(created.size() - 1);
  }

  TunnelInfo create(TunnelType type, StreamStart start) {
    return create(type, start, Optional.empty(), Optional.empty());
  }

  String session(TunnelInfo tunnel) {
    List<String> ids = new ArrayList<>();
    coordinator.open(
        new OpenSession(tunnel.tunnelId(), "tag", 1_000, 0),
        port,
        opened -> ids.add(opened.sessionId()));
    return ids.get(0);
  }

  Assignment held(int partition) {
    return port.held.values().stream()
        .filter(held -> held.partition() == partition)
        .findFirst()
        .orElseThrow();
  }

  FakeSession.Outcome checkpoint(Assignment held, long position, Bytes key) {
    FakeSession.Outcome outcome = new FakeSession.Outcome();
    coordinator.checkpoint(
        List.of(
            new CheckpointRequest(
                new Checkpoint(held.handle(), held.epoch(), position, key), port, outcome)));
    return outcome;
  }

  static ErrorCode code(FakeSession.Outcome outcome) {
    assertThat(outcome.told).isEqualTo(1);
    return ((RefusedException) outcome.refusal).code();
  }

  ChannelState state(TunnelInfo tunnel, ChannelKey key) {
    return catalog.channel(tunnel.tunnelId(), key);
  }

  TunnelInfo base() {
    operators.create(
        new CreateTunnel("t", "n", TunnelType.BaseAndStream, StreamStart.LATEST),
        Asked.NAMELESS,
        new Operators.Creation() {
          @Override
          public void created(TunnelInfo tunnel) {
            created.add(tunnel);
          }

          @Override
          public void failed(Exception reason) {
            failed.add(reason);
          }
        });
    surroundings.keeping.get(0).kept(Map.of(low, 20L, high, 10L));
    return created.get(0);
  }

  ChannelDescription channel(TunnelInfo tunnel, ChannelKey key) throws IOException {
    KnownBounds known = new KnownBounds();
    return coordinator
        .view(tunnel)
        .describe(
            new LogFigures.OfSharedLog(known, null, partition -> false),
            partition -> LogFigures.UNKNOWN,
            0)
        .channels()
        .stream()
        .filter(one -> one.channelId().equals(key.channelId(tunnel.tunnelId())))
        .findFirst()
        .orElseThrow();
  }

  long lagRows(TunnelInfo tunnel, IntToLongFunction rows) throws IOException {
    String id = ChannelKey.base(low).channelId(tunnel.tunnelId());
    return coordinator
        .view(tunnel)
        .describe(new LogFigures.OfSharedLog(new KnownBounds(), null, partition -> false), rows, 0)
        .channels()
        .stream()
        .filter(channel -> channel.channelId().equals(id))
        .findFirst()
        .orElseThrow()
        .lagRows();
  }
}
