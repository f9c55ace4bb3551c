package io.tunnel.server.node;

import io.tunnel.server.cluster.Roles;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.replica.NodeReplicas;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Leads partitions through {@link NodeReplicas}, the catalog and groups through stores. Belongs to
 * the control thread, but for {@link #isLeading} and {@link #close}.
 */
final class NodeRoles implements Roles {

  private final NodeReplicas replicas;
  private final Map<Integer, LedStore> storeByUnit;

  /**
   * Units with a store that this node is assigned to lead; it leads them unless it is suspended.
   */
  private final Set<Integer> told = new TreeSet<>();

  private boolean isSuspended;

  NodeRoles(NodeReplicas replicas, Map<Integer, LedStore> storeByUnit) {
    this.replicas = replicas;
    this.storeByUnit = new TreeMap<>(storeByUnit);
  }

  @Override
  public void follow(int partition) {
    replicas.follow(partition);
  }

  @Override
  public void lead(int unit) {
    if (Unit.isPartition(unit)) {
      replicas.lead(unit);
    } else {
      told.add(unit);
      if (!isSuspended) {
        storeByUnit.get(unit).lead();
      }
    }
  }

  @Override
  public void leave(int unit) {
    if (Unit.isPartition(unit)) {
      replicas.leave(unit);
    } else {
      told.remove(unit);
      storeByUnit.get(unit).leave();
    }
  }

  @Override
  public Set<Integer> leads() {
    Set<Integer> leads = new TreeSet<>(replicas.leads());
    leads.addAll(told);
    return leads;
  }

  @Override
  public Set<Integer> replicas() {
    return replicas.replicas();
  }

  @Override
  public Set<Integer> warm() {
    return replicas.warm();
  }

  /** Leaves all stores until it is called with false, or leads those it is assigned again. */
  void suspend(boolean isToLeave) {
    if (isSuspended != isToLeave) {
      isSuspended = isToLeave;
      for (int unit : told) {
        if (isToLeave) {
          storeByUnit.get(unit).leave();
        } else {
          storeByUnit.get(unit).lead();
        }
      }
    }
  }

  /** Whether this node leads the unit now; any thread. */
  boolean isLeading(int unit) {
    return Unit.isPartition(unit)
        ? replicas.isServing(unit)
        : storeByUnit.containsKey(unit) && storeByUnit.get(unit).isLeading();
  }

  /** Closes all stores in parallel: each may wait for a log that does not answer. */
  void close() throws IOException {
    ExecutorService closers = Executors.newCachedThreadPool(task -> new Thread(task, "closer"));
    IOException failure = new IOException("cannot close all stores");
    List<Future<Void>> closings = new ArrayList<>();
    for (LedStore store : storeByUnit.values()) {
      closings.add(
          closers.submit(
              () -> {
                store.close();
                return null;
              }));
    }
    closers.shutdown();
    for (Future<Void> closing : closings) {
      try {
        closing.get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        failure.addSuppressed(e);
      } catch (ExecutionException e) {
        failure.addSuppressed(e.getCause());
      }
    }
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
