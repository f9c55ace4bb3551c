package io.tunnel.server.node;

import io.tunnel.model.Level;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.cluster.LevelCore;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the level of the cluster with the levels that its nodes serve: stops a node below the
 * level, and raises the level by itself where that is wanted. The control thread looks.
 */
final class LevelWatch {

  private static final Logger LOGGER = LoggerFactory.getLogger(LevelWatch.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final ClusterView view;
  private final Self self;
  private final Consumer<String> stop;

  /** When a raise failed; a failed raise is repeated after a pause. */
  private OptionalLong failedNanos = OptionalLong.empty();

  private int level;
  private boolean isStopped;

  /**
   * This node.
   *
   * @param levelMax highest level that its build serves
   * @param isAuto whether the level is raised without an operator
   */
  record Self(String cluster, int levelMax, boolean isAuto) {}

  /**
   * Watches the level in {@code view}.
   *
   * @param stop stops this node for good, with a message for the operator
   */
  LevelWatch(ClusterView view, Self self, Consumer<String> stop) {
    this.view = view;
    this.self = self;
    this.stop = stop;
    level = view.levels().level();
  }

  /**
   * Refuses the start of a node below the level, before it joins its cluster.
   *
   * @param catalog has read all that was stored before the start
   * @throws IOException names both levels, and says what to do
   */
  static void requireServed(String cluster, Catalog catalog, int levelMax) throws IOException {
    if (catalog.level() > levelMax) {
      throw new IOException(Level.below(named(cluster), catalog.level(), levelMax));
    }
  }

  private static String named(String cluster) {
    return "cluster '" + cluster + "'";
  }

  /** Whether this node is below the level, and so may not lead anything. */
  boolean isBelow() {
    return view.levels().level() > self.levelMax();
  }

  void look(long nowNanos) {
    LevelCore levels = view.levels();
    if (isBelow()) {
      stop(levels);
      return;
    }
    if (levels.level() != level) {
      level = levels.level();
      LOGGER.info("the level of the cluster is {}", level);
    }
    boolean isPausing = failedNanos.isPresent() && nowNanos - failedNanos.getAsLong() < PAUSE_NANOS;
    if (self.isAuto() && view.leadsCatalog() && !isPausing) {
      raise(levels, nowNanos);
    }
  }

  private void stop(LevelCore levels) {
    if (!isStopped) {
      isStopped = true;
      stop.accept(Level.below(named(self.cluster()), levels.level(), self.levelMax()));
    }
  }

  private void raise(LevelCore levels, long nowNanos) {
    int reachable = levels.reachable();
    if (reachable <= levels.level()) {
      return;
    }
    try {
      LOGGER.info("all nodes serve level {}; raising the level of the cluster", reachable);
      view.raise(reachable);
      failedNanos = OptionalLong.empty();
    } catch (IOException | RefusedException e) {
      LOGGER.warn(
          "cannot raise the level to {}: {}; will retry in {} s",
          reachable,
          e.getMessage(),
          TimeUnit.NANOSECONDS.toSeconds(PAUSE_NANOS));
      failedNanos = OptionalLong.of(nowNanos);
    }
  }
}
