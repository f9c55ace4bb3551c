package io.tunnel.server.session;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ChannelType;
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
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.server.session.fake.FakeSurroundings;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.OperatorControl.ChannelPosition;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;

/** Two partitions with three changes at 100 ms and three at 200 ms, and an operator. */
abstract class OperatorsFixture {

  final MemoryCatalogStore store = new MemoryCatalogStore();
  final FakeSurroundings surroundings = new FakeSurroundings();
  final FakeSession port = new FakeSession();
  final List<TunnelInfo> created = new ArrayList<>();
  final List<Exception> failed = new ArrayList<>();
  TunnelCatalog catalog;
  LocalLog log;
  TableRecord table;
  int low;
  int high;
  Coordinator coordinator;

  /** Of every partition. */
  Optional<IncarnationHistory> history = Optional.empty();

  Operators operators;

  /** Two partitions with changes 1 to 3 at 100 ms and 4 to 6 at 200 ms; it is 1,000 ms. */
  @BeforeEach
  void open() throws IOException {
    log = TestLogs.open(new CrashDisk(), 0);
    catalog = new TunnelCatalog(new Catalog(store));
    table =
        catalog
            .tables()
            .createTable(
                new TableMeta("t", TestRows.SCHEMA), List.of(PrimaryKeyValue.fromString("m")), 0);
    low = table.partitions().get(0).id();
    high = table.partitions().get(1).id();
    write(100);
    write(200);
    start();
  }

  void write(long atMs) throws IOException {
    GroupCore group = new GroupCore(4_096);
    for (PartitionRecord partition : table.partitions()) {
      group.add(batch(partition.id(), put("a"), put("b"), put("c")));
    }
    log.append(group, true, TimeUnit.MILLISECONDS.toMicros(atMs));
  }

  void start() throws IOException {
    catalog = new TunnelCatalog(new Catalog(store));
    coordinator =
        Coordinator.alone(
            catalog,
            log,
            new Coordinator.Naming(new Handles(), ChannelGrants.of(Bytes.fromHex("52"))),
            new SessionConfig(300, 1_000),
            surroundings);
    operators = new Operators(catalog, LogBounds.of(log, id -> history), coordinator, surroundings);
  }

  void create(CreateTunnel request) {
    create(request, Asked.NAMELESS);
  }

  void create(CreateTunnel request, Asked asked) {
    operators.create(
        request,
        asked,
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
  }

  static CreateTunnel stream(StreamStart start, Optional<Long> startMs, Optional<Long> endMs) {
    return new CreateTunnel("t", "n", TunnelType.Stream, start, startMs, endMs);
  }

  TunnelInfo earliest() {
    create(stream(StreamStart.EARLIEST, Optional.empty(), Optional.empty()));
    return created.get(created.size() - 1);
  }

  String session(TunnelInfo tunnel) {
    String[] id = new String[1];
    coordinator.open(
        new OpenSession(tunnel.tunnelId(), "tag", 1_000, 0),
        port,
        opened -> id[0] = opened.sessionId());
    return id[0];
  }

  Assignment held(int partition) {
    return port.held.values().stream()
        .filter(held -> held.partition() == partition)
        .findFirst()
        .orElseThrow();
  }

  long at(TunnelInfo tunnel, int partition) throws IOException {
    long stored =
        new TunnelCatalog(new Catalog(store))
            .channel(tunnel.tunnelId(), stream(partition))
            .checkpointed();
    assertThat(catalog.channel(tunnel.tunnelId(), stream(partition)).checkpointed())
        .isEqualTo(stored);
    return stored;
  }

  static ChannelKey stream(int partition) {
    return ChannelKey.stream(partition);
  }

  String id(TunnelInfo tunnel, int partition) {
    return stream(partition).channelId(tunnel.tunnelId());
  }

  static Seek seek(List<String> channels, StreamStart edge, Long timeMs, Long position) {
    return new Seek(
        "t",
        "n",
        channels,
        Optional.ofNullable(edge),
        Optional.ofNullable(timeMs),
        Optional.ofNullable(position),
        Optional.empty(),
        false);
  }

  static Seek bring(CheckpointSet checkpoints, String... channels) {
    return new Seek(
        "t",
        "n",
        List.of(channels),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(checkpoints),
        false);
  }

  static void requireRefused(ErrorCode code, String message, ThrowingCallable request) {
    assertThatThrownBy(request)
        .hasMessageContaining(message)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  static ChannelPosition position(int partition, ChannelType type, long at, Bytes key) {
    return new ChannelPosition(partition, type, at, key, false);
  }
}
