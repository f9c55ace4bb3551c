package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Level;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoreListener;
import io.tunnel.server.changes.BoundsQueries;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.cluster.NodeSettings;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.engine.Ports;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.partition.SessionSweeps;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.replica.NodeReplicas;
import io.tunnel.server.session.SessionConfig;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node without partitions, whose catalog turns out to be of another form of log. */
class NodeRoomsTest {

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger bounds = new AtomicInteger();
  private volatile Optional<String> objection = Optional.empty();

  @AfterEach
  void stop() {
    control.shutdownNow();
  }

  private <T> T onControl(Callable<T> task) throws Exception {
    return control.submit(task).get(60, TimeUnit.SECONDS);
  }

  private final class Stores implements ClusterTunnels.Stores {
    private final Catalog catalog = new Catalog();

    @Override
    public Catalog catalog() {
      return catalog;
    }

    @Override
    public Optional<String> objection() {
      return objection;
    }

    @Override
    public void whenCaughtUp(Runnable then) {
      throw new IllegalStateException("nothing waits for the catalog");
    }

    @Override
    public LedStore.Holder catalogHolder() {
      return new LedStore.Holder() {
        @Override
        public void lead(CatalogStore store) {
          throw new IllegalStateException("no store is ever opened");
        }

        @Override
        public void stored(Map<String, Optional<String>> changes) {
          throw new IllegalStateException("no store is ever opened");
        }

        @Override
        public void resign() {
          throw new IllegalStateException("no store is ever opened");
        }
      };
    }

    @Override
    public CatalogStore openCatalog(StoreListener listener) throws IOException {
      opened.incrementAndGet();
      throw new IOException("the store does not open in this test");
    }

    @Override
    public CatalogStore openGroup(int group, StoreListener listener) throws IOException {
      return openCatalog(listener);
    }
  }

  /** No table is ever created. */
  static final class OnlyShared implements TableLogs {
    @Override
    public boolean areShared() {
      return true;
    }

    @Override
    public CompletableFuture<Optional<Bytes>> create(TableRecord table) {
      throw new IllegalStateException("nobody creates " + table);
    }

    @Override
    public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
      throw new IllegalStateException("nobody alters " + table);
    }

    @Override
    public CompletableFuture<Void> drop(TableRecord table) {
      throw new IllegalStateException("nobody drops " + table);
    }
  }

  private final class NoPartitions implements PartitionEngine {
    private final NodeReplicas replicas =
        (NodeReplicas)
            Proxy.newProxyInstance(
                NodeReplicas.class.getClassLoader(),
                new Class<?>[] {NodeReplicas.class},
                (proxy, method, args) ->
                    switch (method.getName()) {
                      case "condition" -> DiskCondition.UP;
                      case "leads", "replicas", "warm" -> Set.of();
                      case "incarnations" -> Incarnations.none();
                      default -> throw new IllegalStateException("nobody asks for " + method);
                    });

    @Override
    public NodeReplicas replicas() {
      return replicas;
    }

    @Override
    public PartitionLooks looks() {
      return (PartitionLooks)
          Proxy.newProxyInstance(
              PartitionLooks.class.getClassLoader(),
              new Class<?>[] {PartitionLooks.class},
              (proxy, method, args) -> {
                throw new IllegalStateException("no other node asks for " + method);
              });
    }

    @Override
    public LeaderLooks leaders() {
      return new LeaderLooks(
          "n1",
          () -> {
            throw new IllegalStateException("nobody asks who leads");
          },
          looks(),
          (node, questions) -> {
            throw new IllegalStateException("asks no other node");
          },
          new LeaderLooks.Timing(
              () -> 0,
              (ms, action) -> {
                throw new IllegalStateException("nobody waits for leaders");
              }),
          partition -> "partition " + partition);
    }

    @Override
    public TableLogs tables(TableLogs logs) {
      return logs;
    }

    @Override
    public void expire(long nowNanos) {
      throw new IllegalStateException("the engine of the process calls this");
    }

    @Override
    public SessionSweeps sweeps() {
      return new SessionSweeps(List.of());
    }

    @Override
    public BoundsQueries bounds() {
      bounds.incrementAndGet();
      return (BoundsQueries)
          Proxy.newProxyInstance(
              BoundsQueries.class.getClassLoader(),
              new Class<?>[] {BoundsQueries.class},
              (proxy, method, args) -> {
                throw new IllegalStateException("nobody asks for " + method);
              });
    }
  }

  private NodeRooms rooms() {
    return new NodeRooms(
        new NodeRooms.Self(
            new NodeSettings("n1", "i", "here:1", 1, 1_000, Level.NEWEST),
            "c",
            new SessionConfig(1_000, 1_000),
            6_000,
            60_000,
            false),
        new NodeRooms.Log(
            new Stores(),
            new OnlyShared(),
            (name, node) -> {
              throw new IllegalStateException("the node does not join");
            }),
        new NoPartitions(),
        new LastPlacement("n1"),
        new ClusterTunnels.Threads(control, Runnable::run),
        new Ports.Threads(control, Runnable::run, new SystemClock()));
  }

  private void look(NodeRooms rooms) throws Exception {
    assertThat(
            onControl(
                () -> {
                  rooms.look();
                  return true;
                }))
        .isTrue();
  }

  private void lead(NodeRooms rooms) throws Exception {
    rooms.roles().lead(Unit.CATALOG);
    // The store is opened on the control thread.
    assertThat(onControl(() -> true)).isTrue();
  }

  @Test
  void a_node_stops_and_leads_nothing_when_the_cluster_has_another_form_of_log() throws Exception {
    NodeRooms rooms = rooms();
    objection = Optional.of("another form");
    look(rooms);
    assertThat(rooms.node().failure()).isCompletedWithValue("another form");
    lead(rooms);
    assertThat(opened).hasValue(0);
  }

  @Test
  void a_node_of_the_clusters_form_goes_on() throws Exception {
    NodeRooms rooms = rooms();
    look(rooms);
    assertThat(rooms.node().failure()).isNotDone();
    lead(rooms);
    assertThat(opened).hasValue(1);
    assertThat(bounds).as("asked of the engine").hasPositiveValue();
  }
}
