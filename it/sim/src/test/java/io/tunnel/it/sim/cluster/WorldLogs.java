package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.cluster.append.SimAppends;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/** The log that the nodes of a world share, in the form of the world. */
final class WorldLogs {

  final ClusterForm form;

  /** The log of a world whose records are rows. */
  final SimLog rows;

  /** The log of a world whose records are appends. */
  final SimAppends appends;

  private final ClusterWorld world;
  private final Optional<Path> directory;

  WorldLogs(ClusterWorld world, ClusterForm form) {
    this.world = world;
    this.form = form;
    rows = new SimLog(world::nowMicros, world.settings.retentionMicros());
    appends = new SimAppends(world::nowMicros);
    directory = form == ClusterForm.APPENDS ? Optional.of(temporary()) : Optional.empty();
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
    return directory.isEmpty()
        ? new RowMachineLog(world, name)
        : new AppendMachineLog(world, name, directory.get());
  }

  /** What the log of a partition means. */
  LogTruth truth(int id, Consumer<ClusterHappening> counts, LongPredicate isNumbered) {
    return form == ClusterForm.ROWS
        ? new RowLogTruth(id, rows, counts, isNumbered)
        : new AppendLogTruth(id, appends, counts, isNumbered);
  }

  /** Whether changes may be gone before somebody has processed them. */
  boolean forgets() {
    return form == ClusterForm.ROWS && world.settings.forgets();
  }

  /** Another broker leads the log of a partition, and has all of the log. */
  void ledByAnother(int partition) {
    world.trace.add("another broker leads the log of partition " + partition);
    world.count(ClusterHappening.LOG_LED_BY_ANOTHER);
    rows.ledByAnother(partition);
    appends.ledByAnother(partition);
  }

  /** Deletes what the world has on disks. */
  void end() {
    world.machines.values().forEach(Machine::end);
    directory.ifPresent(
        each -> {
          boolean unused = each.toFile().delete();
        });
  }
}
