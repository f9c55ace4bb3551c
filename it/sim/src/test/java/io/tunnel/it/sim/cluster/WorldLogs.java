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

  /** Of Linux. */
  private static final Path MEMORY = Path.of("/dev/shm");

  private final SimAppends appends;
  private final SimBlocks blocks = new SimBlocks();
  private final ClusterWorld world;
  private final Path directory;

  WorldLogs(ClusterWorld world) {
    this.world = world;
    appends = new SimAppends(world::nowMicros);
    directory = temporary();
  }

  /** In memory where the system has a directory there: no table waits for a real disk. */
  private static Path temporary() {
    try {
      return Files.isWritable(MEMORY)
          ? Files.createTempDirectory(MEMORY, "cluster")
          : Files.createTempDirectory("cluster");
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
        isNumbered,
        world::hasRowSession);
  }

  /** Is told from now on whenever a record has landed in any log. */
  void whenLanded(Runnable reader) {
    appends.listen(reader);
  }

  /** Another broker leads the log of a partition, and has all of the log. */
  void ledByAnother(int partition) {
    world.trace.add("another broker leads the log of partition " + partition);
    world.count(ClusterHappening.LOG_LED_BY_ANOTHER);
    appends.ledByAnother(partition);
  }

  /** Another broker leads the log of a partition, and lacks some of the last records. */
  void cut(int partition, int records) {
    int last = appends.records(partition).size();
    int end = Math.max(world.truth.log(partition).cuttable(), last - records);
    if (end < last) {
      world.trace.add(
          "the log of partition " + partition + " loses all from offset " + end + " on");
      world.count(ClusterHappening.LOG_CUT);
      world.truth.disturbed();
      appends.cut(partition, end);
      long kept = world.truth.log(partition).cut(world.agenda.nowNanos());
      world.truth.reads().cut(partition, kept);
    }
  }

  /** Deletes what the world has on disks. */
  void end() {
    world.machines.values().forEach(Machine::end);
    boolean unused = directory.toFile().delete();
  }
}
