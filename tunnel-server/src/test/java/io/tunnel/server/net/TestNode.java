package io.tunnel.server.net;

import static io.tunnel.server.TestRows.batch;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.CatchUp;
import io.tunnel.server.changes.FakeBounds;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.KnownBounds;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.changes.PartialChanges;
import io.tunnel.server.changes.SharedLogBounds;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.channel.ration.RationConfig;
import io.tunnel.server.channel.watch.Watches;
import io.tunnel.server.cluster.FakeView;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.engine.Ports;
import io.tunnel.server.engine.Served;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.access.Shares;
import io.tunnel.server.net.delivery.Attachments;
import io.tunnel.server.partition.NoMeter;
import io.tunnel.server.partition.OwnLogs;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.RoutedHosts;
import io.tunnel.server.partition.ShardConfig;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.partition.TestShards;
import io.tunnel.server.partition.read.BaseSnapshots;
import io.tunnel.server.partition.read.FairReads;
import io.tunnel.server.partition.read.ReadTurns;
import io.tunnel.server.session.Coordinator;
import io.tunnel.server.session.LedTunnels;
import io.tunnel.server.session.Operators;
import io.tunnel.server.session.PositionFinder;
import io.tunnel.server.session.SessionConfig;
import io.tunnel.server.session.Surroundings;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.wire.WriteRequest;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A server that believes to be a node of a cluster of two. Its shards stand for the shared log and
 * for its copies; a test says what it leads. Table "mine" has its tunnels here, table "theirs" on
 * the other node; of "mine", the first partition is led here, the second one there.
 */
final class TestNode implements Closeable {

  static final String HERE = "here:1";
  static final String THERE = "there:2";

  final FakeView view = new FakeView(HERE);
  final FakeBounds bounds = new FakeBounds();
  final Set<Integer> led = ConcurrentHashMap.newKeySet();
  final Catalog catalog;
  final TableRecord mine;
  final TableRecord theirs;
  final LedTunnels tunnels;
  final Attachments attachments;
  final Attachments readings;

  /** Changes for the channels that this node delivers. */
  final PartialChanges changes;

  /** Of partitions whose positions have incarnations. */
  final Map<Integer, IncarnationHistory> histories = new ConcurrentHashMap<>();

  /** Where the tunnels are kept that are led here. */
  final Map<Integer, MemoryCatalogStore> storeByTable = new ConcurrentHashMap<>();

  /** The names of the threads that have asked for figures of the log. */
  final Queue<String> looking = new ConcurrentLinkedQueue<>();

  final TestClock clock = new TestClock();
  final ThreadPoolExecutor control =
      new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
  private final Optional<FairReads> fair;
  private final Shards shards;
  private final Hosting others;
  private final Served served;
  private final NetServer net;

  /** Reads rows at once, on the thread that asks. */
  TestNode(Path directory) throws IOException {
    this(directory, NetLimits.DEFAULT, Optional.empty(), Runnable::run, NetServer.Door.open());
  }

  /** As {@link #TestNode(Path)}, for clients that pass a gate. */
  static TestNode gated(Path directory, Gate gate) throws IOException {
    return new TestNode(
        directory,
        NetLimits.DEFAULT,
        Optional.empty(),
        Runnable::run,
        new NetServer.Door(gate, Optional.empty(), AuditLog.none()));
  }

  /** As {@link #TestNode(Path)}, with a thread for descriptions and long requests. */
  static TestNode describing(Path directory, Executor describer) throws IOException {
    return new TestNode(
        directory, NetLimits.DEFAULT, Optional.empty(), describer, NetServer.Door.open());
  }

  /** Reads rows in turns, as a server does. */
  static TestNode reading(Path directory, NetLimits limits) throws IOException {
    return new TestNode(
        directory,
        limits,
        Optional.of(new FairReads("reader", 2, 10_000)),
        Runnable::run,
        NetServer.Door.open());
  }

  private TestNode(
      Path directory,
      NetLimits limits,
      Optional<FairReads> fair,
      Executor describer,
      NetServer.Door door)
      throws IOException {
    this.fair = fair;
    Executor readers = fair.isPresent() ? fair.get() : Runnable::run;
    ReadTurns turns = fair.isPresent() ? fair.get() : ReadTurns.of(readers);
    MemoryCatalogStore store = new MemoryCatalogStore();
    new Founding(new CatalogIdentity(Bytes.fromHex("51")), Bytes.fromHex("52"), 1, LogForm.ROWS)
        .noteIn(store);
    Catalog leader = new Catalog(store);
    mine =
        leader.createTable(
            new TableMeta("mine", TestRows.SCHEMA), List.of(PrimaryKeyValue.fromString("m")), 0);
    theirs = leader.createTable(new TableMeta("theirs", TestRows.SCHEMA), List.of(), 0);
    catalog = new Catalog();
    Map<String, Optional<String>> texts = new HashMap<>();
    store.all().forEach((name, text) -> texts.put(name, Optional.of(text)));
    catalog.followed(texts);
    catalog.caughtUp();
    view.leads(Unit.CATALOG, THERE);
    view.leads(Unit.ofTunnels(mine.tableId()), HERE);
    view.leads(Unit.ofTunnels(theirs.tableId()), THERE);
    lead(first(mine));
    view.leads(mine.partitions().get(1).id(), THERE);
    shards =
        Shards.open(TestShards.layout(directory, 1, 1 << 20), id -> true, new NoMeter(), clock);
    PartitionHosts hosts = new RoutedHosts(this::host, view);
    Handles handles = new Handles();
    changes = new PartialChanges(shards);
    tunnels = new LedTunnels(catalog, view);
    KnownBounds known = new KnownBounds();
    tunnels.lead(group(mine), host(mine, known, handles, clock));
    others = () -> host(theirs, known, handles, clock);
    Ports.Delivered delivered =
        new Ports.Delivered(this::incarnations, new CatchUp(bounds, shards));
    served =
        new Served(
            new Ports(
                catalog,
                new Ports.Partitions(
                    hosts,
                    changes,
                    new BaseSnapshots(
                        catalog, hosts, shards, readers, clock, BaseSnapshots.Limits.ofAge(60_000)),
                    delivered,
                    delivered),
                new Ports.Tunnels(
                    tunnels,
                    new PositionFinder(
                        new SharedLogBounds(bounds, known, Runnable::run), new Joined(clock)),
                    new ToldFigures(
                        new LogFigures.OfSharedLog(known, shards, led::contains),
                        () -> looking.add(Thread.currentThread().getName())),
                    partition -> LogFigures.UNKNOWN),
                new OwnLogs(catalog, shards, ShardConfig.EXPIRED_ROWS_PER_SECOND_MAX_DEFAULT),
                view,
                new Coordinator.Naming(handles, catalog.grants()),
                new Ports.Threads(control, turns, turns, readers, describer, clock)),
            1_000,
            RationConfig.DEFAULT);
    attachments = served.rooms().delivery().attachments();
    readings = served.rooms().delivery().readings();
    net =
        new NetServer(
            new NetConfig("127.0.0.1", 0, -1, 1, 100, false, "", limits),
            served.rooms(),
            served.threads(),
            door,
            NetMeter.NONE);
  }

  static int first(TableRecord table) {
    return table.partitions().get(0).id();
  }

  private Optional<IncarnationHistory> incarnations(int partition) {
    return Optional.ofNullable(histories.get(partition));
  }

  private PartitionHost host(int partition) {
    if (!led.contains(partition)) {
      throw RefusedException.notLeader("not here", Optional.empty());
    }
    return shards.of(partition);
  }

  static int group(TableRecord table) {
    return Unit.groupOf(Unit.ofTunnels(table.tableId()));
  }

  /** This node has the other table's tunnels too from now on. */
  void leadTheirs() throws IOException {
    view.leads(Unit.ofTunnels(theirs.tableId()), HERE);
    tunnels.lead(group(theirs), others.host());
  }

  /** Makes what has the tunnels of a table. */
  @FunctionalInterface
  private interface Hosting {
    TunnelHost host() throws IOException;
  }

  private TunnelHost host(TableRecord table, KnownBounds known, Handles handles, TestClock clock)
      throws IOException {
    MemoryCatalogStore store = new MemoryCatalogStore();
    storeByTable.put(table.tableId(), store);
    TunnelCatalog group = new TunnelCatalog(catalog, store, group(table));
    Surroundings surroundings = new Joined(clock);
    SharedLogBounds shared = new SharedLogBounds(bounds, known, surroundings::control);
    Coordinator coordinator =
        new Coordinator(
            group,
            new Coordinator.Naming(handles, catalog.grants()),
            shared,
            new SessionConfig(300, 1_000),
            surroundings);
    return new TunnelHost(
        group, coordinator, new Operators(group, shared, coordinator, surroundings), control);
  }

  private final class Joined implements Surroundings {
    private final TestClock clock;

    Joined(TestClock clock) {
      this.clock = clock;
    }

    @Override
    public long nanos() {
      return clock.nanos();
    }

    @Override
    public long epochMicros() {
      return clock.epochMicros();
    }

    @Override
    public void control(Runnable action) {
      control.execute(action);
    }

    @Override
    public void passBarrier(int partition, long passedMicros, Runnable then) {
      control.execute(then);
    }

    @Override
    public void keepRows(String tunnelId, Collection<Integer> partitions, RowsKept whenKept) {
      Map<Integer, Long> ends = new HashMap<>();
      partitions.forEach(id -> ends.put(id, shards.committed(id)));
      control.execute(() -> whenKept.kept(ends));
    }

    @Override
    public void forgetRows(String tunnelId) {}

    @Override
    public void forgetRows(String tunnelId, int partition) {}
  }

  RawClient client() throws IOException {
    return new RawClient(address());
  }

  InetSocketAddress address() {
    return net.localAddress();
  }

  /** Time passes, and the node looks at the clock. */
  void pass(long ms) {
    clock.pass(ms);
    served.tick();
  }

  /** The tunnels that are led here look at the clock. */
  void tickTunnels() {
    control.execute(() -> tunnels.all().forEach(host -> host.coordinator().tick()));
  }

  /** What serves the requests of its connections. */
  Requests requests() {
    return requests(Gate.open());
  }

  /** What serves the requests of connections that pass a gate. */
  Requests requests(Gate gate) {
    return new Requests(served.rooms(), served.threads(), gate);
  }

  /** What principals have used of their quotas. */
  Shares shares() {
    return net.shares();
  }

  /** What clients make it hold. */
  NetServer.Held held() {
    return net.held();
  }

  /** This node leads a partition from now on. */
  void lead(int partition) {
    led.add(partition);
    view.leads(partition, HERE);
  }

  /** The other node leads a partition from now on. */
  void lose(int partition) {
    led.remove(partition);
    view.leads(partition, THERE);
    served.lost(partition, view.notLeader(partition, "partition " + partition));
  }

  /** Passes the time of the clock on. */
  void tick() {
    served.tick();
  }

  /** The watches of all connections. */
  Watches.Figures watches() {
    return served.watches();
  }

  /** What the shared log holds is what the shards do. */
  void settleBounds() {
    for (PartitionRecord partition : mine.partitions()) {
      bounds.set(partition.id(), 1, shards.committed(partition.id()));
    }
  }

  /** A request to write rows. */
  static byte[] write(TableRecord table, int partition, RowChange... rows) {
    ChangeBatch rowsOf = batch(partition, rows);
    byte[] payload = new byte[WriteRequest.PREFIX_BYTES + rowsOf.byteCount()];
    WriteRequest.writePrefix(payload, 0, table.tableId(), Optional.empty());
    System.arraycopy(
        rowsOf.array(), rowsOf.offset(), payload, WriteRequest.PREFIX_BYTES, rowsOf.byteCount());
    return payload;
  }

  @Override
  public void close() throws IOException {
    net.close();
    control.shutdown();
    if (fair.isPresent()) {
      fair.get().close();
    }
    shards.close();
  }
}
