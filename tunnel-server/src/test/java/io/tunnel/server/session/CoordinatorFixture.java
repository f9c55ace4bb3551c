package io.tunnel.server.session;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.GroupCore;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.session.fake.FakeSession;
import io.tunnel.server.session.fake.FakeSurroundings;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;

/** A tunnel over a log with a few rows, and two sessions of two connections. */
abstract class CoordinatorFixture {

  static final long LEASE_MS = 1_000;
  static final long REVOKE_MS = 300;
  static final int ROWS = 5;

  final MemoryCatalogStore store = new MemoryCatalogStore();
  final FakeSession first = new FakeSession();
  final FakeSession second = new FakeSession();
  TunnelCatalog catalog;
  LocalLog log;
  TunnelInfo tunnel;
  Coordinator coordinator;
  final FakeSurroundings surroundings = new FakeSurroundings();

  /** What became of each checkpoint that waited. */
  final List<FakeSession.Outcome> outcomes = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    catalog = new TunnelCatalog(new Catalog(store));
    log = TestLogs.open(new CrashDisk(), 0);
    List<PrimaryKeyValue> points =
        List.of(PrimaryKeyValue.fromString("h"), PrimaryKeyValue.fromString("p"));
    Map<ChannelKey, ChannelState> states = new HashMap<>();
    GroupCore group = new GroupCore(4_096);
    for (PartitionRecord partition :
        catalog.tables().createTable(new TableMeta("t", TestRows.SCHEMA), points, 0).partitions()) {
      states.put(ChannelKey.stream(partition.id()), ChannelState.startingAt(0));
      group.add(batch(partition.id(), put("a"), put("b"), put("c"), put("d"), put("e")));
    }
    log.append(group, true, 1);
    tunnel =
        catalog.createTunnel(
            new CreateTunnel("t", "n", TunnelType.Stream, StreamStart.EARLIEST), "id", states, 0);
    coordinator = coordinator();
  }

  Coordinator coordinator() throws IOException {
    return Coordinator.alone(
        catalog,
        log,
        new Coordinator.Naming(new Handles(), ChannelGrants.of(Bytes.fromHex("52"))),
        new SessionConfig(REVOKE_MS, 1_000),
        surroundings);
  }

  String session(FakeSession port) {
    String[] id = new String[1];
    coordinator.open(
        new OpenSession("id", "tag", LEASE_MS, 0),
        port,
        opened -> {
          assertThat(port.held).as("nothing is assigned before the answer").isEmpty();
          id[0] = opened.sessionId();
        });
    return id[0];
  }

  static Checkpoint checkpoint(Assignment assignment, long position) {
    return new Checkpoint(assignment.handle(), assignment.epoch(), position);
  }

  static ChannelRef ref(Assignment assignment) {
    return new ChannelRef(assignment.handle(), assignment.epoch());
  }

  static void requireRefused(ErrorCode code, ThrowingCallable request) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  ChannelDescription view(Assignment held) throws IOException {
    return coordinator
        .view(tunnel)
        .describe(log, partition -> LogFigures.UNKNOWN, 11)
        .channels()
        .stream()
        .filter(channel -> channel.partition() == held.partition())
        .findFirst()
        .orElseThrow();
  }

  static long checkpointed(TunnelCatalog catalog, int partition) {
    return catalog.channel("id", ChannelKey.stream(partition)).checkpointed();
  }
}
