package io.tunnel.server.cluster;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node as a member of its cluster: does what placements say, and asks for others when the world
 * is not as it was when the last was decided.
 *
 * <p>It has no thread. All that concerns {@link Roles} is done by the control executor, which also
 * runs {@link #tick} some times a second; the membership's thread and those that ask find what was
 * so at the last tick. Being evicted changes nothing here: what the node leads it goes on leading
 * until the log or a placement says otherwise.
 */
public final class ClusterNode implements Membership.Node, Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterNode.class);

  /** How long it waits for the catalog's leader to ask. */
  private static final int PATIENCE_INTERVALS = 3;

  /** What the rooms of this node do, as of the last look. */
  private record Doing(Set<Integer> leads, Set<Integer> warm) {}

  private final NodeSettings config;
  private final Roles roles;
  private final Supplier<KnownUnits> units;
  private final Executor control;
  private final LongSupplier nanos;
  private final PaceCore pace;
  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private final AtomicReference<Placement> newest = new AtomicReference<>(Placement.NONE);
  private volatile Doing doing = new Doing(Set.of(), Set.of());
  private volatile NodeInfo said;
  private volatile boolean isAskedToDrain;
  private volatile boolean isAside;
  private volatile boolean isRefused;
  private volatile Membership membership;
  private final LongAdder placements = new LongAdder();
  private final AtomicLong losses = new AtomicLong();

  /** So many of the losses were before the decision that was done last. */
  private volatile long lossesOver;

  /** Whether the next decision counts, whatever its generation; of the membership's thread. */
  private boolean isBeginning;

  /** The placement that was done last, and the units that this node was told to have by it. */
  private Placement done = Placement.NONE;

  private final Set<Integer> held = new HashSet<>();

  /**
   * Units that others may have led since this node was told what to do last, and that are to be led
   * here now: what it knows of them may be old, if it has not left them meanwhile.
   */
  private final Set<Integer> interrupted = new ConcurrentSkipListSet<>();

  /** Whether there are other units than were placed, and since when. */
  private boolean areOtherUnits;

  private long otherUnitsNanos;

  /**
   * A node that has not joined.
   *
   * @param units what there is to lead, as far as this node's catalog knows; any thread
   * @param control runs one task at a time
   */
  public ClusterNode(
      NodeSettings config,
      Roles roles,
      Supplier<KnownUnits> units,
      Executor control,
      LongSupplier nanos) {
    this.config = config;
    this.roles = roles;
    this.units = units;
    this.control = control;
    this.nanos = nanos;
    long intervalNanos = config.decideIntervalMs() * 1_000_000;
    pace = new PaceCore(intervalNanos, nanos.getAsLong());
    said = info();
  }

  /** Joins the group of all nodes. */
  public void join(Membership.Factory factory) {
    membership = factory.join(config.node(), () -> this);
  }

  @Override
  public NodeInfo info() {
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
            config.node(), config.incarnation(), config.address(), isDraining(), leads, warm);
    return said;
  }

  @Override
  public Placement place(long generation, Collection<NodeInfo> nodes) {
    Placement former = newest.get();
    Set<Integer> others = new TreeSet<>(former.leaders().keySet());
    for (NodeInfo node : nodes) {
      others.addAll(node.leads());
      others.addAll(node.warm());
    }
    return PlacementCore.place(
        generation, former, nodes, units.get().with(others), config.standbys());
  }

  @Override
  public void placed(Placement placement) {
    boolean isNew = isBeginning || placement.generation() > newest.get().generation();
    if (!isNew) {
      LOGGER.info(
          "a decision of generation {} comes behind {}",
          placement.generation(),
          newest.get().generation());
      return;
    }
    Placement former = newest.get();
    boolean wasAway = isBeginning && !placement.equals(former);
    placement.leaders().keySet().stream()
        .filter(unit -> wasAway || !config.node().equals(former.leaders().get(unit)))
        .forEach(interrupted::add);
    isBeginning = false;
    newest.set(placement);
    placements.increment();
    long lossesBefore = losses.get();
    control.execute(() -> obey(lossesBefore));
  }

  @Override
  public void lost() {
    isBeginning = true;
    losses.incrementAndGet();
    LOGGER.warn(
        "this node was silent for too long: others may lead its {} units; it joins again",
        doing.leads().size());
  }

  @Override
  public void refused(String message) {
    isRefused = true;
    failure.complete(message);
  }

  /** Completes, with what to say of it, when this node has to be stopped. */
  public CompletableFuture<String> failure() {
    return failure;
  }

  /**
   * Whether others may lead what it leads, as far as it knows: until it has done what was decided
   * when it was found again. Any thread.
   */
  public boolean isLost() {
    return isRefused || losses.get() > lossesOver;
  }

  /** The process of another node has ended; any thread. */
  public void evict(String name) {
    Membership group = membership;
    if (group != null) {
      group.evict(name);
    }
  }

  /** What was decided last; any thread. */
  public Placement placement() {
    return newest.get();
  }

  /** Empties this node, or lets it take part again; any thread. */
  public void drain(boolean isDrainingNow) {
    isAskedToDrain = isDrainingNow;
    LOGGER.info(isDrainingNow ? "this node is emptied" : "this node is emptied no more");
    control.execute(this::tick);
  }

  /** Empties this node as long as it is aside, whatever it was asked; by the control executor. */
  public void stepAside(boolean isAsideNow) {
    if (isAside != isAsideNow) {
      isAside = isAsideNow;
      LOGGER.warn(
          isAsideNow
              ? "the disk of this node takes nothing; other nodes take over, if there are any"
              : "the disk of this node has had room for a while; it takes part again");
    }
  }

  /** Whether it is emptied; any thread. */
  public boolean isDraining() {
    return isAskedToDrain || isAside;
  }

  /** How often it was told what to do; any thread. */
  public long placementCount() {
    return placements.sum();
  }

  /** How often the group had forgotten it; any thread. */
  public long lossCount() {
    return losses.get();
  }

  /** Whether another node could take over what this one leads; any thread. */
  public boolean hasSuccessor() {
    return newest.get().nodes().stream()
        .anyMatch(other -> !other.name().equals(config.node()) && !other.isDraining());
  }

  /** Whether it is emptied, everybody knows, and it leads nothing; any thread. */
  public boolean isDrained() {
    Placement placement = newest.get();
    boolean isKnown = placement.node(config.node()).map(Placement.Member::isDraining).orElse(false);
    return isDraining()
        && isKnown
        && doing.leads().isEmpty()
        && !placement.leaders().containsValue(config.node());
  }

  /** Looks how things are, and asks for a decision if one is needed; by the control executor. */
  public void tick() {
    look();
    Membership group = membership;
    if (group != null && pace.asks(needsDecision(), nanos.getAsLong())) {
      group.decideAgain();
    }
  }

  private void look() {
    doing = new Doing(Set.copyOf(roles.leads()), Set.copyOf(roles.warm()));
  }

  /**
   * Whether it was decided by what is not so any more: there are other units, this node drains or
   * does not, or a replica that it was given is warm now.
   */
  private boolean needsDecision() {
    boolean hasOtherUnits = hasOtherUnits();
    if (!isMember(done)) {
      return false;
    }
    NodeInfo told = said;
    boolean isWarmer =
        doing.warm().stream().anyMatch(unit -> isCopyHere(unit) && !told.warm().contains(unit));
    return isWarmer || told.isDraining() != isDraining() || hasOtherUnits;
  }

  private boolean isCopyHere(int partition) {
    return done.replicas().getOrDefault(partition, Set.of()).contains(config.node());
  }

  /** The catalog's leader sees them first; others ask only if it does not. */
  private boolean hasOtherUnits() {
    boolean wereOtherUnits = areOtherUnits;
    areOtherUnits = !units.get().areThoseOf(done);
    if (areOtherUnits && !wereOtherUnits) {
      otherUnitsNanos = nanos.getAsLong();
    }
    boolean isFirst = config.node().equals(done.leaders().get(Unit.CATALOG));
    long patienceNanos = isFirst ? 0 : PATIENCE_INTERVALS * config.decideIntervalMs() * 1_000_000;
    return areOtherUnits && nanos.getAsLong() - otherUnitsNanos >= patienceNanos;
  }

  private boolean isMember(Placement placement) {
    return placement
        .node(config.node())
        .filter(node -> node.incarnation().equals(config.incarnation()))
        .isPresent();
  }

  private void obey(long lossesBefore) {
    obey();
    lossesOver = lossesBefore;
  }

  private void obey() {
    Placement placement = newest.get();
    pace.decided(nanos.getAsLong());
    if (placement.equals(done)) {
      return;
    }
    done = placement;
    if (!isMember(placement)) {
      LOGGER.warn("generation {} was decided without this node", placement.generation());
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
    look();
  }

  /** Replicas read for themselves who leads; others begin anew if they have to. */
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
