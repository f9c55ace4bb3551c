package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.SimAutoKeys;
import io.tunnel.it.sim.SimTenants;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.model.TableOptions;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Features of rows in some worlds of a cluster: a table whose keys the cluster numbers, a table
 * whose rows expire, and programs that bind rows to sessions. Each has a separate source of chance,
 * so worlds without a feature do not change.
 */
final class ClusterFeatures {

  private static final long TENANTS = 0x7e4a475L;
  private static final int AUTO_KEYS_ONE_IN = 2;

  private final ClusterWorld world;
  private final Optional<SimAutoKeys> autoKeys;
  private final Optional<ClusterLives> lives;
  private final Optional<SimTenants> tenants;

  private ClusterFeatures(
      ClusterWorld world,
      Optional<SimAutoKeys> autoKeys,
      Optional<ClusterLives> lives,
      Optional<SimTenants> tenants) {
    this.world = world;
    this.autoKeys = autoKeys;
    this.lives = lives;
    this.tenants = tenants;
  }

  /** None of them: the level of the cluster is below theirs, or rights are the subject. */
  static ClusterFeatures none(ClusterWorld world) {
    return new ClusterFeatures(world, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** Some of them; nothing goes wrong meanwhile. */
  static ClusterFeatures of(ClusterWorld world, ClusterOperator operator, TableDescription table) {
    List<Integer> partitions = table.partitions().stream().map(each -> each.id()).toList();
    SplittableRandom random = new SplittableRandom(world.seed ^ TENANTS);
    Optional<SimTenants> tenants = Optional.empty();
    if (random.nextBoolean()) {
      world.logs.whenLanded(() -> world.watch(() -> partitions.forEach(world.truth::log)));
      tenants =
          Optional.of(new SimTenants(world, world.truth::requireKnown, random, partitions, true));
    }
    return new ClusterFeatures(
        world,
        SimAutoKeys.maybe(world, operator::createTable, TableOptions.DEFAULT, AUTO_KEYS_ONE_IN),
        ClusterLives.maybe(world, operator),
        tenants);
  }

  /** The table of rows with a time to live. */
  Optional<TableDescription> lives() {
    return lives.map(ClusterLives::table);
  }

  /** Partitions of the tables that are there for a feature. */
  List<Integer> partitions() {
    List<Integer> all = new ArrayList<>();
    autoKeys.ifPresent(each -> all.addAll(each.partitions()));
    lives.ifPresent(each -> all.addAll(each.partitions()));
    return all;
  }

  void act() {
    autoKeys.ifPresent(SimAutoKeys::act);
    lives.ifPresent(ClusterLives::act);
    tenants.ifPresent(SimTenants::act);
  }

  /** Every row has an outcome, but for rows of programs that were killed. */
  boolean isWritten() {
    return autoKeys.map(SimAutoKeys::isDone).orElse(true)
        && lives.map(ClusterLives::isDone).orElse(true);
  }

  /** Each row goes when its time is over, also from leaders that have just begun. */
  void requireAllGone() {
    lives.ifPresent(ClusterLives::runOut);
    requireGone();
  }

  /** No row is left that was to go, in a cluster at rest. */
  void requireGone() {
    lives.ifPresent(
        each ->
            each.partitions().stream()
                .map(world.truth::log)
                .forEach(log -> log.requireExpired(world.nowMicros())));
    Invariant.LIVENESS.require(isWritten(), "rows of a program of features have no outcome");
  }
}
