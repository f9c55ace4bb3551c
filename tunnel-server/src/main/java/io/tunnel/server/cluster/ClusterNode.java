package io.tunnel.server.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node as a member of its cluster: obeys placements, and asks for another placement when the
 * facts that the last one rests on have changed.
 *
 * <p>The class has no thread. The control executor does all work on {@link Roles} and runs {@link
 * #tick} a few times a second; the membership's thread and all other threads see the facts of the
 * last tick. A node that is evicted from its group continues leading until the log or a placement
 * says otherwise.
 */
public final class ClusterNode implements Membership.Node, Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterNode.class);

  /** So many intervals this node waits for the catalog's leader to ask for a placement. */
  private static final int PATIENCE_INTERVALS = 3;

  /** The units that this node leads, and its warm replicas, at the last tick. */
  private record Doing(Set<Integer> leads, Set<Integer> warm) {}

  /** How the group of all nodes sees this node. */
  private enum Standing {
    /** This node has obeyed its last placement. Next: LOST, REFUSED. */
    MEMBER,
    /** The group has forgotten this node; the next placement counts. Next: FOUND, REFUSED. */
    LOST,
    /** Told what to do after a loss, and has not done it. Next: MEMBER, LOST, REFUSED. */
    FOUND,
    /** Out of the group for good. */
    REFUSED
  }

  /**
   * A standing and the number of losses before it. A task ends only the very object that it was
   * posted with, and so no standing that began later.
   *
   * @param losses how often the group had forgotten this node
   */
  private record Bond(Standing standing, long losses) {

    private Bond next(Standing next) {
      return standing == Standing.REFUSED ? this : new Bond(next, losses);
    }

    private Bond lost() {
      return new Bond(standing == Standing.REFUSED ? standing : Standing.LOST, losses + 1);
    }

    private Bond found() {
      return standing == Standing.LOST ? next(Standing.FOUND) : this;
    }
  }

  private final NodeSettings config;
  private final Roles roles;
  private final Supplier<KnownUnits> units;
  private final IntSupplier level;
  private final Executor control;
  private final LongSupplier nanos;
  private final PaceCore pace;
  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private final AtomicReference<Placement> newest = new AtomicReference<>(Placement.NONE);
  private volatile Doing doing = new Doing(Set.of(), Set.of());

  /** The last introduction of this node to the group. */
  private volatile NodeInfo said;

  /** Whether an operator asked to empty this node. */
  private volatile boolean isAskedToDrain;

  /** Whether this node drains because its disk takes no writes. */
  private volatile boolean isAside;

  private volatile Membership membership;
  private final LongAdder placements = new LongAdder();
  private final AtomicReference<Bond> bond = new AtomicReference<>(new Bond(Standing.MEMBER, 0));

  /** The placement that was obeyed last. */
  private Placement done = Placement.NONE;

  /** The units that {@code done} gives to this node. */
  private final Set<Integer> held = new HashSet<>();

  /**
   * Units to lead that had other leaders, perhaps, since this node's last placement: the state of
   * such a unit here may be stale unless the node has left the unit in between.
   */
  private final Set<Integer> interrupted = new ConcurrentSkipListSet<>();

  /** Since when the catalog's units differ from the units that were placed; empty while equal. */
  private OptionalLong otherUnitsNanos = OptionalLong.empty();

  /**
   * A node that has not joined.
   *
   * @param units units of the cluster by this node's catalog; for any thread
   * @param level level of the cluster by this node's catalog; for any thread
   * @param control runs one task at a time
   */
  public ClusterNode(
      NodeSettings config,
      Roles roles,
      Supplier<KnownUnits> units,
      IntSupplier level,
      Executor control,
      LongSupplier nanos) {
    this.config = config;
    this.roles = roles;
    this.units = units;
    this.level = level;
    this.control = control;
    this.nanos = nanos;
    long intervalNanos = config.decideIntervalMs() * 1_000_000;
    pace = new PaceCore(intervalNanos, nanos.getAsLong());
    said = introduce();
  }

  /** Joins the group of all nodes. */
  public void join(Membership.Factory factory) {
    membership = factory.join(config.node(), () -> this);
  }

  @Override
  public NodeInfo introduce() {
    Doing now = doing;
    Set<Integer> leads = new TreeSet<>(now.leads());
    Placement placement = newest.get();
    if (isMember(placement)) {
      placement
          .leaders()
          .forEach(
              (unit, name) -> {
                if (name.equals(config.node())) {
                  leads.add(unit);
                }
              });
    }
    Set<Integer> warm = new TreeSet<>(now.warm());
    leads.stream().filter(Unit::isPartition).forEach(warm::add);
    said =
        new NodeInfo(
            config.node(),
            config.incarnation(),
            config.address(),
            isDraining(),
            leads,
            warm,
            config.levelMax());
    return said;
  }

  @Override
  public Placement place(long generation, Collection<NodeInfo> nodes) {
    Placement former = newest.get();
    Set<Integer> others = new TreeSet<>(former.leaders().keySet());
    List<NodeInfo> able = nodes.stream().filter(this::servesLevel).toList();
    for (NodeInfo node : able) {
      others.addAll(node.leads());
      others.addAll(node.warm());
    }
    return PlacementCore.place(
        generation, former, able, units.get().with(others), config.standbys());
  }

  /** A member below the level is given nothing; it stops when it reads the level. */
  private boolean servesLevel(NodeInfo node) {
    int now = level.getAsInt();
    if (node.levelMax() < now) {
      LOGGER.warn(
          "node {} serves level {} at most, and the level is {}; it leads and follows nothing",
          node.name(),
          node.levelMax(),
          now);
    }
    return node.levelMax() >= now;
  }

  @Override
  public void placed(Placement placement) {
    Placement former = newest.get();
    boolean wasLost = bond.get().standing() == Standing.LOST;
    if (!wasLost && placement.generation() <= former.generation()) {
      LOGGER.info(
          "ignoring placement {}: {} is newer", placement.generation(), former.generation());
      return;
    }
    boolean wasAway = wasLost && !placement.equals(former);
    placement.leaders().keySet().stream()
        .filter(unit -> wasAway || !config.node().equals(former.leaders().get(unit)))
        .forEach(interrupted::add);
    newest.set(placement);
    placements.increment();
    Bond told = bond.updateAndGet(Bond::found);
    control.execute(() -> obey(told));
  }

  @Override
  public void lost() {
    bond.updateAndGet(Bond::lost);
    LOGGER.warn(
        "this node was silent for too long: others may lead its {} units; joining again",
        doing.leads().size());
  }

  @Override
  public void refused(String message) {
    bond.updateAndGet(current -> current.next(Standing.REFUSED));
    failure.complete(message);
  }

  /** Completes with a message when this node has to be stopped. */
  public CompletableFuture<String> failure() {
    return failure;
  }

  /**
   * Whether the units of this node may have other leaders: from a loss until this node has obeyed
   * the next placement. Any thread.
   */
  public boolean isLost() {
    return bond.get().standing() != Standing.MEMBER;
  }

  /** The process of another node has ended; any thread. */
  public void evict(String name) {
    Membership group = membership;
    if (group != null) {
      group.evict(name);
    }
  }

  /** The newest placement; any thread. */
  public Placement placement() {
    return newest.get();
  }

  /** Empties this node, or lets it take leaderships again; any thread. */
  public void drain(boolean isDrainingNow) {
    isAskedToDrain = isDrainingNow;
    LOGGER.info(isDrainingNow ? "this node drains" : "this node no longer drains");
    control.execute(this::tick);
  }

  /**
   * Drains this node while it is aside, even if no operator asked for it; by the control executor.
   */
  public void stepAside(boolean isAsideNow) {
    if (isAside != isAsideNow) {
      isAside = isAsideNow;
      LOGGER.warn(
          isAsideNow
              ? "the disk of this node takes no writes; draining it to other nodes"
              : "the disk of this node has space again; this node leads and follows again");
    }
  }

  /** Whether this node is being emptied; any thread. */
  public boolean isDraining() {
    return isAskedToDrain || isAside;
  }

  /** How many placements this node received; any thread. */
  public long placementCount() {
    return placements.sum();
  }

  /** How often the group had forgotten this node; any thread. */
  public long lossCount() {
    return bond.get().losses();
  }

  /** Whether another node could take over the units of this node; any thread. */
  public boolean hasSuccessor() {
    return newest.get().nodes().stream()
        .anyMatch(other -> !other.name().equals(config.node()) && !other.isDraining());
  }

  /** Whether this node drains and leads nothing, by the placement as well; any thread. */
  public boolean isDrained() {
    Placement placement = newest.get();
    boolean isKnown = placement.node(config.node()).map(Placement.Member::isDraining).orElse(false);
    return isDraining()
        && isKnown
        && doing.leads().isEmpty()
        && !placement.leaders().containsValue(config.node());
  }

  /** Reads the node's roles, and asks for a placement if one is needed; by the control executor. */
  public void tick() {
    readRoles();
    compareUnits();
    Membership group = membership;
    if (group != null && pace.ask(needsDecision(), nanos.getAsLong())) {
      group.decideAgain();
    }
  }

  private void readRoles() {
    doing = new Doing(Set.copyOf(roles.leads()), Set.copyOf(roles.warm()));
  }

  /**
   * Whether a fact that the last placement rests on has changed: the set of units, this node's
   * draining, or a replica that became warm.
   */
  private boolean needsDecision() {
    if (!isMember(done)) {
      return false;
    }
    NodeInfo told = said;
    boolean isWarmer =
        doing.warm().stream().anyMatch(unit -> isReplicaHere(unit) && !told.warm().contains(unit));
    return isWarmer || told.isDraining() != isDraining() || hasOtherUnits();
  }

  private boolean isReplicaHere(int partition) {
    return done.replicas().getOrDefault(partition, Set.of()).contains(config.node());
  }

  private void compareUnits() {
    if (units.get().areThoseOf(done)) {
      otherUnitsNanos = OptionalLong.empty();
    } else if (otherUnitsNanos.isEmpty()) {
      otherUnitsNanos = OptionalLong.of(nanos.getAsLong());
    }
  }

  /** The catalog's leader learns of new units first; other nodes ask only if it does not. */
  private boolean hasOtherUnits() {
    boolean isFirst = config.node().equals(done.leaders().get(Unit.CATALOG));
    long patienceNanos = isFirst ? 0 : PATIENCE_INTERVALS * config.decideIntervalMs() * 1_000_000;
    return otherUnitsNanos.isPresent()
        && nanos.getAsLong() - otherUnitsNanos.getAsLong() >= patienceNanos;
  }

  private boolean isMember(Placement placement) {
    return placement
        .node(config.node())
        .filter(node -> node.incarnation().equals(config.incarnation()))
        .isPresent();
  }

  private void obey(Bond told) {
    obey();
    if (told.standing() == Standing.FOUND) {
      bond.compareAndSet(told, told.next(Standing.MEMBER));
    }
  }

  private void obey() {
    Placement placement = newest.get();
    pace.decided(nanos.getAsLong());
    if (placement.equals(done)) {
      return;
    }
    done = placement;
    if (!isMember(placement)) {
      LOGGER.warn(
          "placement {} was decided without this node; keeping the current roles",
          placement.generation());
      return;
    }
    held.addAll(roles.leads());
    held.addAll(roles.replicas());
    Set<Integer> mine = new TreeSet<>();
    placement.leaders().keySet().stream()
        .filter(unit -> placement.has(config.node(), unit))
        .forEach(mine::add);
    held.stream().filter(unit -> !mine.contains(unit)).forEach(roles::leave);
    for (int unit : mine) {
      if (!config.node().equals(placement.leaders().get(unit))) {
        roles.follow(unit);
      }
    }
    for (int unit : mine) {
      if (config.node().equals(placement.leaders().get(unit))) {
        lead(unit);
      }
    }
    held.clear();
    held.addAll(mine);
    readRoles();
  }

  /**
   * A replica reads from the log who leads its partition; a store is closed and opened again if
   * another node may have written it.
   */
  private void lead(int unit) {
    boolean wasInterrupted = interrupted.remove(unit);
    if (wasInterrupted && held.contains(unit) && !Unit.isPartition(unit)) {
      roles.leave(unit);
    }
    roles.lead(unit);
  }

  @Override
  public void close() throws IOException {
    Membership group = membership;
    if (group != null) {
      group.close();
    }
  }
}
