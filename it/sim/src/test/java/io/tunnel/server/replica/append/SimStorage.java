package io.tunnel.server.replica.append;

import io.tunnel.server.disk.Disk;
import io.tunnel.server.log.SimDisk;
import io.tunnel.server.table.SimFlush;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * What a simulated machine keeps of partitions: disks for the local logs, and a real directory for
 * the tables.
 */
public final class SimStorage {

  /** Says that the disk of a shard is the one of this directory. */
  private static final String MARK = "simulated-log";

  private final Path directory;
  private final SplittableRandom random;
  private final long localBytesMax;
  private final List<TableStore> open = new ArrayList<>();
  private List<SimDisk> disks = new ArrayList<>();
  private boolean isDead;

  /** Empty disks for so many shards. */
  public SimStorage(Path directory, int shards, SplittableRandom random) {
    this.directory = directory;
    this.random = random;
    this.localBytesMax = random.nextInt(3) == 0 ? 6_000 : 0;
    for (int shard = 0; shard < shards; shard++) {
      disks.add(new SimDisk(this::requireAlive));
    }
  }

  private SimStorage(SimStorage before, List<SimDisk> disks) {
    this.directory = before.directory;
    this.random = before.random;
    this.localBytesMax = before.localBytesMax;
    this.disks = disks;
  }

  private void requireAlive() {
    if (isDead) {
      throw new IllegalStateException("the process of this disk is dead");
    }
  }

  Path directory() {
    return directory;
  }

  SplittableRandom random() {
    return random;
  }

  /** Bytes of the local log of a shard; 0 for any number. */
  long localBytesMax() {
    return localBytesMax;
  }

  List<SimDisk> disks() {
    return disks;
  }

  /** The disk of {@code shard-N/log}, which is empty if the directory of the shard was deleted. */
  Disk open(Path log) throws IOException {
    Path of = log.getParent();
    String name = of.getFileName().toString();
    int shard = Integer.parseInt(name.substring(name.indexOf('-') + 1));
    Path mark = of.resolve(MARK);
    if (!Files.exists(mark)) {
      disks.set(shard, new SimDisk(this::requireAlive));
      Files.createDirectories(of);
      Files.writeString(mark, "");
    }
    return disks.get(shard);
  }

  void opened(TableStore store) {
    open.add(store);
  }

  /** Writes all that is folded to the table's files, and returns when the files are complete. */
  void flush(TableStore store) throws IOException {
    if (store.durableOffset() < store.foldedOffset()) {
      SimFlush.flush(store);
    }
  }

  /**
   * The process ends at once, and the tables lose what is not in their files.
   *
   * @param left what the end leaves of a disk, which tells before each change
   */
  public SimStorage afterEnd(Left left) {
    isDead = true;
    for (TableStore store : open) {
      try {
        store.close();
      } catch (IOException | RuntimeException e) {
        // A dead disk syncs no log, and without the sync the table writes nothing.
      }
    }
    SimStorage next = new SimStorage(this, new ArrayList<>(disks));
    next.disks.replaceAll(disk -> left.of(next::requireAlive).apply(disk));
    return next;
  }

  /** What the end of a process leaves of a disk. */
  @FunctionalInterface
  public interface Left {
    /** Makes the disk of the next process, which calls {@code beforeChange}. */
    UnaryOperator<SimDisk> of(Runnable beforeChange);
  }
}
