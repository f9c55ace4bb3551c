package io.tunnel.server.node;

import io.netty.channel.ChannelHandler;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoreListener;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.channel.ration.RationConfig;
import io.tunnel.server.cluster.ClusterNode;
import io.tunnel.server.cluster.Membership;
import io.tunnel.server.cluster.NodeSettings;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.engine.Ports;
import io.tunnel.server.engine.Served;
import io.tunnel.server.engine.Ticks;
import io.tunnel.server.net.SimFront;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.access.SimGate;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.replica.NodeReplicas;
import io.tunnel.server.replica.append.SimReplicas;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.server.session.SessionConfig;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A node between two starts: the {@linkplain NodeRooms rooms} of a real one, on threads and a log
 * that are simulated.
 */
public final class SimClusterNode {

  /** How old rows may be that are read at a leader that was replaced. */
  public static final long READ_AGE_MS_MAX = 1_250;

  /** How long the group waits for a member that says nothing. */
  public static final long SESSION_NANOS = TimeUnit.MILLISECONDS.toNanos(SimClusterNode.SESSION_MS);

  private static final long SESSION_MS = 2_500;

  /** Short: base channels lose kept rows in the middle. */
  public static final long SNAPSHOT_MS_MAX = 5_000;

  private static final long ENDS_MS = 500;
  private static final long RETAIN_MS = 2_000;
  private static final long REPLICAS_MS = 50;

  private static final long DECIDE_INTERVAL_MS = 250;
  private static final long REVOKE_DEADLINE_MS = 2_000;
  private static final int DELIVERY_BYTES_MAX = 250;

  /**
   * A backlog of more than a delivery is far behind; pacing is off, so that stories do not depend
   * on it.
   */
  private static final RationConfig CATCH_UP = new RationConfig(false, 300, 1_000, 110);

  private final Catalog catalog = new Catalog();
  private final int levelMax;
  private final SimReplicas copies;
  private final PartitionEngine engine;
  private final NodeRooms rooms;
  private final Served served;
  private final SimFront front;
  private final Consumer<Runnable> catalogTail;

  /**
   * The name and the address of a node.
   *
   * @param levelMax the highest level that its build serves
   * @param chance the chance of a node that requires authentication; empty when the node requires
   *     none
   */
  public record Self(
      String name,
      String incarnation,
      String address,
      int standbys,
      int levelMax,
      Optional<SplittableRandom> chance) {}

  /** The log, as this start of the node reaches it. */
  public record Log(Membership.Factory group, Stores stores) {}

  /** Opens what is kept of catalog and tunnels. */
  public interface Stores {

    /** Tells the catalog what is stored of tables, from now on; at first all, at once. */
    Consumer<Runnable> follow(Catalog catalog);

    /** Becomes the only writer of a unit. */
    CatalogStore open(int unit, StoreListener listener) throws IOException;
  }

  /** The threads of the node. */
  public record Threads(ScheduledExecutorService control, Executor waiting, Executor readers) {}

  /** Opens what the node has on its disks, and joins. */
  public SimClusterNode(
      Self self, Log log, SimEngine partitions, Threads threads, Shard.Clock clock)
      throws IOException {
    levelMax = self.levelMax();
    catalogTail = log.stores().follow(catalog);
    LevelWatch.requireServed("sim", catalog, levelMax);
    LastPlacement placement = new LastPlacement(self.name());
    SimEngine.Opened opened =
        partitions.open(new SimEngine.Node(self, catalog, placement, threads.control(), clock));
    copies = opened.copies();
    engine = opened.engine();
    rooms =
        new NodeRooms(
            new NodeRooms.Self(
                new NodeSettings(
                    self.name(),
                    self.incarnation(),
                    self.address(),
                    self.standbys(),
                    DECIDE_INTERVAL_MS,
                    self.levelMax()),
                "sim",
                new SessionConfig(REVOKE_DEADLINE_MS, DELIVERY_BYTES_MAX),
                SESSION_MS,
                SNAPSHOT_MS_MAX,
                false),
            new NodeRooms.Log(
                new Opening(log, threads.control()),
                engine.tables(new SimTableLogs()),
                log.group()),
            engine,
            placement,
            new ClusterTunnels.Threads(threads.control(), threads.waiting()),
            new Ports.Threads(threads.control(), threads.readers(), clock));
    served = new Served(rooms.ports(), DELIVERY_BYTES_MAX, CATCH_UP);
    Gate gate =
        self.chance()
            .map(chance -> SimGate.closed(chance, security()::snapshot, clock::nanos))
            .orElseGet(Gate::open);
    front = new SimFront(served, gate);
    rooms.serve(served);
    rooms.join();
    schedule(threads.control(), clock);
  }

  private void schedule(ScheduledExecutorService control, Shard.Clock clock) {
    Ticks.begin(
        control,
        clock::nanos,
        List.of(
            rooms.tunnels()::tick,
            rooms.node()::tick,
            rooms::look,
            served::tick,
            () -> engine.expire(clock.nanos())));
    NodeReplicas replicas = copies.all();
    control.scheduleWithFixedDelay(replicas::lookAtEnds, ENDS_MS, ENDS_MS, TimeUnit.MILLISECONDS);
    control.scheduleWithFixedDelay(
        () -> copies.retain(clock.epochMicros()), RETAIN_MS, RETAIN_MS, TimeUnit.MILLISECONDS);
    control.scheduleWithFixedDelay(replicas::tick, REPLICAS_MS, REPLICAS_MS, TimeUnit.MILLISECONDS);
  }

  private final class Opening implements ClusterTunnels.Stores {
    private final Log log;
    private final Executor control;

    Opening(Log log, Executor control) {
      this.log = log;
      this.control = control;
    }

    @Override
    public Catalog catalog() {
      return catalog;
    }

    @Override
    public Optional<String> objection() {
      return LogForm.OWN.objection(catalog.texts());
    }

    @Override
    public void whenCaughtUp(Runnable then) {
      catalogTail.accept(() -> control.execute(then));
    }

    @Override
    public LedStore.Holder catalogHolder() {
      return new LedCatalog(
          catalog,
          catalogTail,
          control,
          new LeftTopics(catalog, NO_TOPICS, control),
          () ->
              new Founding(
                  new CatalogIdentity(Bytes.fromHex("51")),
                  Bytes.fromHex("52"),
                  levelMax,
                  LogForm.OWN));
    }

    @Override
    public CatalogStore openCatalog(StoreListener listener) throws IOException {
      return log.stores().open(Unit.CATALOG, listener);
    }

    @Override
    public CatalogStore openGroup(int group, StoreListener listener) throws IOException {
      return log.stores().open(Unit.ofGroup(group), listener);
    }
  }

  /** The principals, keys and rights that the node knows. */
  public SecurityRecords security() {
    return catalog.security();
  }

  /** The node as a member of its cluster. */
  public ClusterNode node() {
    return rooms.node();
  }

  /** The level of the cluster, as the node has read it. */
  public int level() {
    return catalog.level();
  }

  /** Its copies. */
  public SimReplicas copies() {
    return copies;
  }

  /** Looks at the partitions that the node leads, for other nodes. */
  public PartitionLooks looks() {
    return rooms.ports().view().lookedAt().orElseThrow().looks();
  }

  /** Whether it leads a unit now. */
  public boolean isLeading(int unit) {
    return rooms.roles().isLeading(unit);
  }

  /** The handlers of a new connection. */
  public List<ChannelHandler> handlers() {
    return front.handlers();
  }

  private static final LeftTopics.Topics NO_TOPICS =
      new LeftTopics.Topics() {
        @Override
        public CompletableFuture<Set<Integer>> tables() {
          return CompletableFuture.completedFuture(Set.of());
        }

        @Override
        public CompletableFuture<Void> drop(DroppedLog log) {
          return CompletableFuture.completedFuture(null);
        }
      };

  /** Of tables whose logs cost nothing. */
  private record SimTableLogs() implements TableLogs {
    @Override
    public boolean areShared() {
      return true;
    }

    @Override
    public CompletableFuture<Optional<Bytes>> create(TableRecord table) {
      return CompletableFuture.completedFuture(Optional.of(Bytes.fromHex("01")));
    }

    @Override
    public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> drop(TableRecord table) {
      return CompletableFuture.completedFuture(null);
    }
  }
}
