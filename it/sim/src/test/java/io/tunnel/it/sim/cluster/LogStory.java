package io.tunnel.it.sim.cluster;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.PartitionTruth.Change;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.SimReplicas;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * The story of a cluster's log, and the truth at its end: all replicas of a partition have the same
 * changes at the same positions, have the same rows, and know the same writers. A loss of all disks
 * of all nodes changes nothing of this.
 */
final class LogStory {

  private static final long CHANCE = 0xa99e4d5L;
  private static final int LED_BY_ANOTHER_ONE_IN = 20;
  private static final int BURNT_ONE_IN = 3;
  private static final int DAMAGING_ONE_IN = 2;
  private static final int DAMAGED_ONE_IN = 3;
  private static final long DAMAGES = 0xd4a6edL;
  private static final long TORN = 0x704eL;
  private static final int TORN_WORLDS_ONE_IN = 4;
  private static final int TORN_ONE_IN = 12;
  private static final int TORN_RECORDS_MAX = 8;
  private static final long CATCH_UP_MS_MAX = 60_000;

  private final ClusterWorld world;
  private final SplittableRandom random;
  private final boolean isBurnt;

  /** A separate source for ends that are lost. */
  private final SplittableRandom torn;

  /**
   * Chance is an own source.
   *
   * @param mayBeTorn whether the log may lose its end: nobody follows the changes of the world
   */
  LogStory(ClusterWorld world, long seed, boolean mayBeTorn) {
    this.world = world;
    this.random = new SplittableRandom(seed ^ CHANCE);
    this.torn = new SplittableRandom(seed ^ TORN);
    world.isTorn = torn.nextInt(TORN_WORLDS_ONE_IN) == 0 && mayBeTorn;
    this.isBurnt = random.nextInt(BURNT_ONE_IN) == 0;
    if (new SplittableRandom(seed ^ DAMAGES).nextInt(DAMAGING_ONE_IN) == 0) {
      world.reach.damagedOneIn = DAMAGED_ONE_IN;
    }
  }

  /** Now and then, another broker comes to lead a log. */
  void act(List<Integer> partitions) {
    if (random.nextInt(LED_BY_ANOTHER_ONE_IN) == 0) {
      world.logs.ledByAnother(partitions.get(random.nextInt(partitions.size())));
    }
    if (world.isTorn && torn.nextInt(TORN_ONE_IN) == 0) {
      world.logs.cut(
          partitions.get(torn.nextInt(partitions.size())), 1 + torn.nextInt(TORN_RECORDS_MAX));
    }
  }

  /**
   * For a cluster at rest.
   *
   * @param others partitions of other tables, which nobody writes any more
   * @param write writes to the partition at a place of the table
   */
  void requireSame(List<Integer> partitions, List<Integer> others, Consumer<Integer> write) {
    for (Machine machine : world.up()) {
      if (copies(machine).all().figures().historyReads() > 0) {
        world.count(ClusterHappening.OLD_PAGE_READ);
      }
    }
    // With the next change of a partition, each replica stores what it knows of writers.
    settle(partitions, others, write);
    partitions.forEach(this::requireSame);
    others.forEach(this::requireSame);
    if (isBurnt) {
      world.trace.add("all disks of all nodes are lost");
      world.count(ClusterHappening.ALL_DISKS_LOST);
      for (Machine machine : world.machines.values()) {
        world.kill(machine, Machine.Loss.EVERYTHING);
      }
      world.machines.values().forEach(world::start);
      settle(partitions, others, write);
      partitions.forEach(this::requireSame);
      others.forEach(this::requireSame);
    }
  }

  private void settle(List<Integer> partitions, List<Integer> others, Consumer<Integer> write) {
    List<Long> before = partitions.stream().map(world.written()::applied).toList();
    List<Long> last = List.of();
    long waited = 0;
    // What was appended a moment ago may not be folded yet, so the logs stand still for a moment.
    while (!isSettled(partitions, before)
        || !others.stream().allMatch(this::isSettled)
        || !last.equals(lasts(partitions))) {
      Invariant.LIVENESS.require(
          waited < CATCH_UP_MS_MAX, "the replicas have not all changes after %d ms", waited);
      for (int place = 0; place < partitions.size(); place++) {
        if (world.written().applied(partitions.get(place)) == before.get(place)) {
          write.accept(place);
        }
      }
      last = lasts(partitions);
      world.run(500);
      waited += 500;
    }
  }

  private List<Long> lasts(List<Integer> partitions) {
    return partitions.stream().map(partition -> world.truth.log(partition).last()).toList();
  }

  private boolean isSettled(List<Integer> partitions, List<Long> before) {
    for (int place = 0; place < partitions.size(); place++) {
      int partition = partitions.get(place);
      if (world.written().applied(partition) == before.get(place) || !isSettled(partition)) {
        return false;
      }
    }
    return true;
  }

  private boolean isSettled(int partition) {
    world.truth.log(partition);
    return holders(partition).stream().allMatch(each -> hasAll(each, partition));
  }

  /** A writer may write again at any moment, so a look at both sides is of one moment. */
  private boolean hasAll(Machine machine, int partition) {
    return copies(machine).all().isCaughtUp(partition)
        && copies(machine).lastKept(partition) == world.truth.log(partition).last();
  }

  private List<Machine> holders(int partition) {
    return world.up().stream()
        .filter(machine -> world.group.last().has(machine.name, partition))
        .toList();
  }

  private static SimReplicas copies(Machine machine) {
    return machine.node().copies();
  }

  private void requireSame(int partition) {
    LogTruth truth = world.truth.log(partition);
    Optional<SortedMap<Bytes, Bytes>> writers = Optional.empty();
    for (Machine machine : holders(partition)) {
      requireChanges(machine, truth);
      var rows = copies(machine).rows(partition);
      Invariant.BASE_AND_STREAM_WITHOUT_GAP.require(
          truth.mayBe(rows, world.nowMicros()),
          "partition %d at %s: %s instead of %s",
          partition,
          machine.name,
          rows,
          truth.rows());
      SortedMap<Bytes, Bytes> known = copies(machine).writers(partition);
      Invariant.APPLIED_ONCE.require(
          writers.filter(other -> !other.equals(known)).isEmpty(),
          "%s knows other writers of partition %d than the nodes before: %s instead of %s",
          machine.name,
          partition,
          known,
          writers);
      writers = Optional.of(known);
      if (!known.isEmpty()) {
        world.count(ClusterHappening.WRITERS_COMPARED);
      }
    }
  }

  /** The local log has a dense end of the changes that count. */
  private static void requireChanges(Machine machine, LogTruth truth) {
    long next = copies(machine).firstKept(truth.partition());
    for (ChangeBatch batch : copies(machine).kept(truth.partition())) {
      for (Change change : PartitionTruth.changesOf(batch)) {
        Invariant.POSITIONS_STAY.require(
            change.record().position() == next
                && truth.at(next).filter(one -> one.text().equals(change.text())).isPresent(),
            "%s has %s at %d of partition %d instead of %s at %d",
            machine.name,
            change.text(),
            change.record().position(),
            truth.partition(),
            truth.at(next).map(Change::text),
            next);
        next++;
      }
    }
    Invariant.POSITIONS_STAY.require(
        next == truth.last() + 1,
        "%s has changes of partition %d up to %d, and the last is %d",
        machine.name,
        truth.partition(),
        next - 1,
        truth.last());
  }
}
