package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.SimStore;
import io.tunnel.it.sim.truth.ChannelTruth;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.server.backup.SimBackups;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.log.SimDisk;
import io.tunnel.server.partition.read.SimRows;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * An operator of some worlds takes backups while everybody works, and restores one when the server
 * is stopped or its disk is lost; the clients go on. A backup may be restored again, so that
 * clients of the first restored server come to the second.
 *
 * <p>A backup is not restored here when a loss of power took changes behind its beginning: then the
 * positions of the backup were given to other changes already, before the restore does so.
 */
final class SimRestores implements AutoCloseable {

  private static final int ONE_WORLD_IN = 5;
  private static final int BACKUP_ONE_IN = 16;
  private static final int RESTORE_ONE_IN = 20;

  /** How long after an operator's request to move a tunnel the move may be stored. */
  private static final long SEEK_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private static final int OUTAGE_MS_MAX = 8_000;

  private final World world;
  private final SplittableRandom random;
  private final Runnable whenRestored;
  private final SimBackups backups;
  private final List<Mark> marks = new ArrayList<>();

  /** What was known when a backup was taken. */
  static final class Mark {
    private final World world;
    private final Map<Integer, Long> acknowledged = new HashMap<>();
    private final Map<Integer, Long> lossesBefore = new HashMap<>();
    private final Map<String, Long> checkpointed = new HashMap<>();
    private final Map<Integer, Long> known = new HashMap<>();
    private long number;
    private int restores;
    private final long beginNanos;

    /** How often the machine of the backup had been restored. */
    private final int restoresBefore;

    /** A backup begins. */
    private Mark(World world) {
      this.world = world;
      this.beginNanos = world.agenda.nowNanos();
      this.restoresBefore = world.machine.restores();
      for (PartitionTruth partition : world.ledger.existing()) {
        acknowledged.put(partition.id, partition.acknowledged());
        lossesBefore.put(partition.id, partition.losses());
      }
      for (ChannelTruth channel : world.ledger.channels.values()) {
        checkpointed.put(channel.channelId, channel.checkpointed());
      }
    }

    /** The backup is complete. */
    private void ended(long backup) {
      number = backup;
      world.ledger.existing().forEach(each -> known.put(each.id, each.committed()));
      acknowledged.keySet().retainAll(known.keySet());
      checkpointed
          .keySet()
          .removeIf(
              id ->
                  world.ledger.channels.get(id).tunnel.soughtNanos() > beginNanos - SEEK_NANOS_MAX);
    }

    private boolean isSpoilt() {
      return lossesBefore.entrySet().stream()
          .anyMatch(each -> world.ledger.partition(each.getKey()).losses() != each.getValue());
    }

    /** The restored server has the tables that were there while the backup was taken. */
    void requireTables(Catalog tables) {
      Map<Integer, TableRecord> stored =
          tables.tables().stream()
              .collect(Collectors.toMap(TableRecord::tableId, Function.identity()));
      world.ledger.restored(stored);
      List<Integer> there = world.ledger.existing().stream().map(each -> each.id).toList();
      Invariant.RESTORED_AS_BACKED_UP.require(
          there.containsAll(acknowledged.keySet()),
          "partitions %s were there while the backup was taken, and %s are restored",
          acknowledged.keySet(),
          there);
    }

    /** The log has what was acknowledged when the backup began, and nothing that never was. */
    void requirePartition(PartitionTruth partition, ChangeReader log) {
      long same =
          partition.restored(
              log,
              acknowledged.getOrDefault(partition.id, 0L),
              known.getOrDefault(partition.id, 0L));
      world.wiretap.numbered().lost(partition.id, same);
    }

    /** Each channel is where it was while the backup was taken, or further. */
    void requireChannels(
        List<TunnelInfo> tunnels, Function<TunnelInfo, List<ChannelDescription>> views) {
      Map<String, Long> skipped = skipped(world.machine.store());
      boolean fences = world.machine.restores() == restoresBefore + 1;
      for (TunnelInfo tunnel : tunnels) {
        for (ChannelDescription view : views.apply(tunnel)) {
          Long before = checkpointed.get(view.channelId());
          Invariant.RESTORED_AS_BACKED_UP.require(
              before == null || view.checkpointed() >= before,
              "%s was checkpointed at %d when the backup began, and is restored at %d",
              view.channelId(),
              before,
              view.checkpointed());
          world.ledger.restored(view, skipped.getOrDefault(tunnel.tunnelId(), 0L), fences);
        }
      }
    }

    /** By tunnel, the number of the last change that was left out. */
    private static Map<String, Long> skipped(SimStore store) {
      Map<String, Long> last = new TreeMap<>();
      for (String name : store.all().keySet()) {
        if (name.startsWith("skipped/")) {
          int end = name.lastIndexOf('/');
          last.merge(
              name.substring(name.indexOf('/') + 1, end),
              ServerMachine.skipOrdinal(store.all().get(name)),
              Math::max);
        }
      }
      return last;
    }
  }

  private SimRestores(World world, SplittableRandom random, Runnable whenRestored)
      throws IOException {
    this.world = world;
    this.random = random;
    this.whenRestored = whenRestored;
    this.backups = new SimBackups(new Disks());
  }

  /** The operator of a world, by its seed; most worlds have none, and no closed world has one. */
  static Optional<SimRestores> of(World world, Runnable whenRestored) {
    SplittableRandom random = new SplittableRandom(world.seed ^ 0x6f);
    if (world.network.isClosed() || random.nextInt(ONE_WORLD_IN) > 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(new SimRestores(world, random, whenRestored));
    } catch (IOException e) {
      throw Invariant.NOTHING_BREAKS.broken("no directory for backups: %s", e);
    }
  }

  /** The machine as a backup finds it, which goes on meanwhile. */
  private final class Disks implements SimBackups.Machine {

    @Override
    public List<SimDisk> disks() {
      return world.machine.disks();
    }

    @Override
    public List<SimRows> rows() {
      return world.machine.rows();
    }

    @Override
    public SimStore catalog() {
      return world.machine.store();
    }

    @Override
    public void goOn() throws IOException {
      int before = world.machine.powerLosses();
      world.run(random.nextInt(4) == 0 ? random.nextInt(20) : 0);
      if (world.machine.powerLosses() != before) {
        throw new IOException("the machine has lost its power");
      }
    }
  }

  /** Does something, or nothing. */
  void act() {
    // What a loss of power took is known behind the next start alone.
    if (random.nextInt(BACKUP_ONE_IN) == 0 && !world.machine.hasUnknownLosses()) {
      backUp();
    }
    if (random.nextInt(RESTORE_ONE_IN) == 0) {
      marks.removeIf(Mark::isSpoilt);
      if (!marks.isEmpty()) {
        restore(marks.get(random.nextInt(marks.size())));
      }
    }
  }

  private void backUp() {
    world.trace.add("operator takes a backup");
    int powerBefore = world.machine.powerLosses();
    Mark mark = new Mark(world);
    try {
      mark.ended(backups.take(random.nextInt(4) == 0, world.machine.nowMicros() / 1_000));
      world.count(Happening.BACKUP_TAKEN);
      world.trace.add("backup " + mark.number + " is taken");
      marks.add(mark);
    } catch (IOException e) {
      world.trace.add("no backup: " + e.getMessage());
      Invariant.NOTHING_BREAKS.require(
          world.machine.powerLosses() != powerBefore
              || e.getMessage().startsWith("tables were created or dropped")
              || e.getMessage().endsWith("change all the time"),
          "no backup: %s",
          e);
    }
  }

  private void restore(Mark mark) {
    if (world.machine.isUp()) {
      world.machine.crash(random.nextBoolean());
    }
    world.run(random.nextInt(OUTAGE_MS_MAX));
    world.trace.add("operator restores backup " + mark.number);
    world.count(mark.restores++ == 0 ? Happening.RESTORED : Happening.RESTORED_AGAIN);
    try {
      world.machine.restore(backups.restore(mark.number, new Random(random.nextLong())), mark);
    } catch (IOException e) {
      throw Invariant.NOTHING_BREAKS.broken("backup %d cannot be restored: %s", mark.number, e);
    }
    marks.removeIf(each -> each.number > mark.number);
    whenRestored.run();
    world.machine.start();
  }

  @Override
  public void close() {
    try {
      backups.close();
    } catch (IOException e) {
      throw new IllegalStateException("cannot delete the backups of a world", e);
    }
  }
}
