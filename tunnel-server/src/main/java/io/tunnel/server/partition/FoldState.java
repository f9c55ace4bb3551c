package io.tunnel.server.partition;

import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.table.BesideRows;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * How far the table of a shard lags its log, and what the state of the disk says of that. For the
 * shard's thread.
 */
final class FoldState {

  private final FoldQueue folds;
  private final ShardDisk disk;
  private final Consumer<Throwable> fail;

  /** {@code fail} is notified of a fold that failed for another reason than a full disk. */
  FoldState(FoldQueue folds, ShardDisk disk, Consumer<Throwable> fail) {
    this.folds = folds;
    this.disk = disk;
    this.fail = fail;
  }

  /**
   * Folds one slice for a task, if the table lacks changes that the task needs. Returns true when
   * the table has all of them, or when waiting does not help.
   */
  boolean foldFor(ShardTask task) {
    boolean hadSlice = false;
    for (int partition : task.partitions()) {
      if (disk.state().isFinal() || folds.isFolded(partition)) {
        continue;
      }
      if (!hadSlice) {
        hadSlice = true;
        boolean unused = folds.foldNext(partition);
      }
      if (folds.hasFailed()) {
        foldAll();
        return true;
      }
      if (!folds.isFolded(partition)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether everything of a partition is folded, after a slice if it was not.
   *
   * @throws IOException when a fold failed, and fails again
   */
  boolean isFoldedBySlice(int partition) throws IOException {
    if (!folds.isFolded(partition)) {
      boolean unused = folds.foldNext(partition);
      if (folds.hasFailed()) {
        folds.finish();
      }
    }
    return folds.isFolded(partition);
  }

  /** Whether there is something to fold and no thread that does it, as in a simulation. */
  boolean isInPlace() {
    return !folds.hasThread() && !folds.isEmpty() && !folds.hasFailed();
  }

  /** Folds a slice where no other thread does; returns whether there was something to fold. */
  boolean foldInPlace() {
    if (!isInPlace()) {
      return false;
    }
    if (!folds.foldNext()) {
      foldAll();
    }
    return true;
  }

  /**
   * Takes notice that the table has everything, or that a fold failed, which is tried again; and of
   * the space on the disk.
   */
  void look() {
    if (disk.state() == ShardState.BEHIND || folds.hasFailed() || folds.isEmpty()) {
      foldAll();
    }
    disk.findRoom();
  }

  /** Folds what was acknowledged and is not folded; the state tells when that did not succeed. */
  void foldAll() {
    if (disk.state().isFinal()) {
      return;
    }
    try {
      folds.finish();
      if (disk.state() == ShardState.FOLDING || disk.state() == ShardState.BEHIND) {
        disk.move(ShardState.SERVING, "the table has all of it");
      }
    } catch (DiskFullException e) {
      disk.move(ShardState.BEHIND, e.getMessage());
    } catch (IOException | RuntimeException | Error e) {
      fail.accept(e);
    }
  }

  /**
   * Folds what was acknowledged.
   *
   * @throws DiskFullException when the disk has no space; nothing is lost
   * @throws IOException when the disk failed
   */
  void requireAllFolded() throws IOException {
    foldAll();
    requireFolded();
  }

  private void requireFolded() throws IOException {
    if (disk.state() == ShardState.BEHIND) {
      throw new DiskFullException("the last writes are not in the table");
    }
    if (disk.state().isFinal()) {
      throw new IOException("the disk of the shard failed before");
    }
  }

  /**
   * As {@link FoldQueue#leaveUpTo}; everything is folded.
   *
   * @throws DiskFullException when the disk has no space; nothing is lost
   * @throws IOException when the disk failed
   */
  void foldUpTo(long end, BesideRows beside) throws IOException {
    disk.move(ShardState.FOLDING, "a replica is rebuilt");
    folds.leaveUpTo(end, beside);
    foldAll();
    requireFolded();
  }
}
