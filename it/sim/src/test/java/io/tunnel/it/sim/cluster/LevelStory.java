package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.cluster.Placement;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Levels;
import io.tunnel.wire.control.ClusterControl.Upgrade;
import io.tunnel.wire.control.Json;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * An operator who replaces builds, up and down, and raises the level again and again; and the truth
 * about levels: the level never falls, no node knows a level that is not stored, no node below the
 * level starts or stays, and no raise leaves a member behind.
 */
final class LevelStory {

  private static final int HIGHEST = 3;

  /** A raise may be stored so long after its leader has looked at the members. */
  private static final long LOOKED_NANOS_MAX = TimeUnit.SECONDS.toNanos(15);

  private final ClusterWorld world;
  private final SplittableRandom random;
  private final Deque<Decided> decided = new ArrayDeque<>();
  private Optional<ClusterClient> client = Optional.empty();
  private int stored = 1;

  /** Who was a member, up to when the next decision was made. */
  private record Decided(Placement placement, long nanos) {}

  /** Chance is an own source, so that worlds in which no build is replaced stay as they are. */
  LevelStory(ClusterWorld world, SplittableRandom random) {
    this.world = world;
    this.random = random;
  }

  /** One thing that an operator does in the middle of an upgrade. */
  void act() {
    int dice = random.nextInt(8);
    if (dice < 2) {
      List<Machine> all =
          world.machines.values().stream().filter(each -> !each.isPaused()).toList();
      if (!all.isEmpty()) {
        replace(all.get(random.nextInt(all.size())));
      }
    } else if (dice < 4) {
      raise(stored + 1);
    }
  }

  /** Stops a node, and starts it with another build, which may be an older one. */
  private void replace(Machine machine) {
    if (!world.reach.isReached(machine.name)) {
      return;
    }
    world.count(ClusterHappening.BUILD_REPLACED);
    if (machine.isUp()) {
      world.kill(machine, Machine.Loss.NOTHING);
    }
    machine.levelMax = 1 + random.nextInt(HIGHEST);
    world.start(machine);
  }

  private void raise(int to) {
    if (to > HIGHEST) {
      return;
    }
    if (client.isEmpty()) {
      client = Optional.of(new ClusterClient(world, "upgrader"));
    }
    world.trace.add("operator raises the level to " + to);
    var unused =
        client
            .get()
            .askAll(Operation.UPGRADE, new Upgrade(Optional.of(to)))
            .whenComplete((answer, failure) -> world.watch(() -> answered(to, answer, failure)));
  }

  private void answered(int to, Frame answer, Throwable failure) {
    if (failure == null) {
      int said = Json.decode(answer.payload(), Levels.class).level();
      Invariant.LEVEL_HOLDS.require(
          said >= to && said <= stored,
          "a raise to %d was answered with %d, and %d is stored",
          to,
          said,
          stored);
      return;
    }
    if (ClusterClient.cause(failure) instanceof RefusedException refused) {
      Invariant.LEVEL_HOLDS.require(
          refused.code() == ErrorCode.FEATURE_NOT_ENABLED, "a raise is refused with %s", refused);
      world.count(ClusterHappening.RAISE_REFUSED);
    }
  }

  /** A placement was decided. */
  void decided(Placement placement) {
    decided.addLast(new Decided(placement, world.agenda.nowNanos()));
    while (decided.size() > 1 && world.agenda.nowNanos() - second().nanos() > LOOKED_NANOS_MAX) {
      decided.removeFirst();
    }
  }

  /** The first decision was the newest until the second one. */
  private Decided second() {
    return decided.stream().skip(1).findFirst().orElseThrow();
  }

  /** Something was stored. */
  void stored(Map<String, Optional<String>> changes) {
    Optional<String> text = changes.getOrDefault("level", Optional.empty());
    if (text.isEmpty()) {
      return;
    }
    int level = Json.ofText(text.get(), Stored.class).level();
    Invariant.LEVEL_HOLDS.require(level >= stored, "level %d was stored behind %d", level, stored);
    if (level > stored && !decided.isEmpty()) {
      Invariant.LEVEL_HOLDS.require(
          decided.stream().anyMatch(each -> serves(each.placement(), level)),
          "the level was raised to %d, and the members were %s",
          level,
          decided);
      world.count(ClusterHappening.LEVEL_RAISED);
    }
    stored = level;
  }

  private record Stored(int level) {}

  private static boolean serves(Placement placement, int level) {
    return placement.nodes().stream().allMatch(node -> node.levelMax() >= level);
  }

  /** A node was started, or refused to. */
  void started(Machine machine, boolean isRefused) {
    Invariant.LEVEL_HOLDS.require(
        isRefused == machine.levelMax < stored,
        "a node of a build up to level %d %s at level %d",
        machine.levelMax,
        isRefused ? "is refused" : "starts",
        stored);
    if (isRefused) {
      world.count(ClusterHappening.NODE_BELOW_REFUSED);
    } else {
      Invariant.LEVEL_HOLDS.require(
          machine.node().level() == stored,
          "%s starts and reads level %d of %d",
          machine.name,
          machine.node().level(),
          stored);
    }
  }

  /** What every node knows now. */
  void look() {
    for (Machine machine : world.up()) {
      Invariant.LEVEL_HOLDS.require(
          machine.node().level() <= stored,
          "%s knows level %d, and %d is stored",
          machine.name,
          machine.node().level(),
          stored);
    }
  }

  /** A machine below the level gets a build that serves the level. */
  void repair(Machine machine) {
    machine.levelMax = Math.max(machine.levelMax, stored);
  }

  /** For a cluster at rest. */
  void requireServed() {
    for (Machine machine : world.up()) {
      Invariant.LEVEL_HOLDS.require(
          machine.levelMax >= stored && machine.node().level() == stored,
          "%s serves level %d at most and knows level %d, and the level is %d",
          machine.name,
          machine.levelMax,
          machine.node().level(),
          stored);
    }
  }
}
