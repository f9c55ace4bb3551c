package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.cluster.append.SimAppends;
import io.tunnel.it.sim.cluster.append.SimBlocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/** The log that the nodes of a world share. */
final class WorldLogs {

  private final SimAppends appends;
  private final SimBlocks blocks = new SimBlocks();
  private final ClusterWorld world;
  private final Path directory;

  WorldLogs(ClusterWorld world) {
    this.world = world;
    appends = new SimAppends(world::nowMicros);
    directory = temporary();
  }

  private static Path temporary() {
    try {
      return Files.createTempDirectory("cluster");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a directory for tables", e);
    }
  }

  /** What a machine keeps of the log. */
  MachineLog ofMachine(String name) {
    return new MachineLog(world, name, appends, blocks, directory);
  }

  /** What the log of a partition means. */
  LogTruth truth(int id, Consumer<ClusterHappening> counts, LongPredicate isNumbered) {
    return new LogTruth(
        new TrimTruth.Of(id, appends, blocks, world.settings.retentionMicros()),
        counts,
        isNumbered);
  }

  /** Another broker leads the log of a partition, and has all of the log. */
  void ledByAnother(int partition) {
    world.trace.add("another broker leads the log of partition " + partition);
    world.count(ClusterHappening.LOG_LED_BY_ANOTHER);
    appends.ledByAnother(partition);
  }

  /** Deletes what the world has on disks. */
  void end() {
    world.machines.values().forEach(Machine::end);
    boolean unused = directory.toFile().delete();
  }
}
