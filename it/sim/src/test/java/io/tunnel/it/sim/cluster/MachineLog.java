package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.cluster.append.SimAppends;
import io.tunnel.it.sim.cluster.append.SimAppendsClient;
import io.tunnel.it.sim.cluster.append.SimBlocks;
import io.tunnel.it.sim.cluster.append.SimBlocksClient;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.it.sim.machine.SimWaiting;
import io.tunnel.server.node.SimEngine;
import io.tunnel.server.replica.append.SimReplicas;
import io.tunnel.server.replica.append.SimSnapshots;
import io.tunnel.server.replica.append.SimStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** What a machine keeps of the partitions of the log, and how its nodes reach the log. */
final class MachineLog {

  private final ClusterWorld world;
  private final String name;
  private final SimAppends shared;
  private final SimBlocks blocks;
  private final Path directory;
  private final SplittableRandom random;
  private int formatted;
  private SimStorage storage;
  private SimAppendsClient log;
  private SimWaiting waiting;

  /** Tables are in {@code directory}. */
  MachineLog(ClusterWorld world, String name, SimAppends shared, SimBlocks blocks, Path directory) {
    this.world = world;
    this.name = name;
    this.shared = shared;
    this.blocks = blocks;
    this.directory = directory;
    this.random = world.random.split();
    format();
  }

  private void format() {
    formatted++;
    storage = new SimStorage(place(), Machine.SHARDS, random.split());
  }

  private Path place() {
    return directory.resolve(name + "-" + formatted);
  }

  /** The engine of a node that starts. */
  SimEngine start(SimProcess process, SimThread kafka, SimThread control) {
    log = new SimAppendsClient(name, shared, world.reach, kafka);
    waiting = new SimWaiting(process.thread("waiting"));
    SimThread owner = process.thread("snapshots");
    SimBlocksClient ofSnapshots =
        new SimBlocksClient(
            name,
            blocks,
            world.reach,
            new SimBlocksClient.Threads(kafka, waiting),
            () -> world.count(ClusterHappening.BLOCK_DAMAGED));
    SimSnapshots snapshots =
        new SimSnapshots(
            ofSnapshots,
            task -> {
              if (process.isAlive()) {
                owner.execute(task);
              } else {
                task.run();
              }
            },
            waiting,
            pauses(waiting),
            world.settings.snapshotLogBytes(),
            () -> world.count(ClusterHappening.BEGUN_WITH_SNAPSHOT));
    return new SimEngine(
        storage,
        new SimReplicas.Shared(
            log,
            snapshots,
            (reached, failed) ->
                world.reach.ask(
                    () -> world.reach.isReached(name) && process.isAlive(),
                    () -> kafka.execute(reached),
                    () -> kafka.execute(failed))),
        world.settings.retentionMicros(),
        process.random().split()::nextLong,
        new SimPeers(world, name, control));
  }

  private static SimSnapshots.Pauses pauses(SimWaiting waiting) {
    return new SimSnapshots.Pauses() {
      @Override
      public void pass(long nanos) {
        waiting.pass(nanos);
      }

      @Override
      public void await(CompletableFuture<?> until) {
        waiting.await(until);
      }
    };
  }

  /** The process of the node is no more, and the machine loses this. */
  void died(Machine.Loss loss) {
    log.died();
    waiting.kill();
    storage =
        storage.afterEnd(
            before ->
                disk ->
                    loss == Machine.Loss.UNSYNCED
                        ? disk.afterPowerLoss(world.random, before)
                        : disk.afterDeath(before));
    if (loss == Machine.Loss.EVERYTHING) {
      delete(place());
      format();
    }
  }

  /** Nothing is kept any more; the world has ended. */
  void end() {
    if (log != null) {
      died(Machine.Loss.EVERYTHING);
    }
  }

  private static void delete(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + directory, e);
    }
  }
}
