package io.tunnel.server.replica.append;

import io.tunnel.codec.MalformedException;
import io.tunnel.server.replica.append.SnapshotStep.Verify;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotDamagedException;
import io.tunnel.server.replica.snapshot.SnapshotReader;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/**
 * A snapshot that the node reads back, one block each time that the owner's thread looks. A thread
 * that may wait reads the block, and closes the reader.
 */
final class SnapshotReading {

  private final Verify step;
  private final SnapshotReader reader;
  private final Executor waiting;

  /** Whether a thread reads a block. For the owner's thread. */
  private boolean isBusy;

  private volatile boolean isCancelled;

  /** How a reading ended. */
  enum End {
    /** All blocks are intact. */
    INTACT,
    /** No node can begin with the snapshot. */
    DAMAGED,
    /** The blocks cannot be read now. */
    UNREAD
  }

  SnapshotReading(Verify step, SnapshotBlocks blocks, Executor waiting) {
    this.step = step;
    this.waiting = waiting;
    this.reader =
        new SnapshotReader(
            blocks, step.partition(), step.snapshot().id(), step.snapshot().blocks());
  }

  Verify step() {
    return step;
  }

  /**
   * Reads a block, unless a block is read already.
   *
   * @param owner runs an action on the owner's thread
   * @param ended receives by the owner's thread how the reading ended, and why
   */
  void advance(Executor owner, BiConsumer<End, String> ended) {
    if (isBusy) {
      return;
    }
    isBusy = true;
    waiting.execute(
        () -> {
          String[] why = {""};
          Optional<End> end = read(why);
          if (end.isPresent() || isCancelled) {
            reader.close();
          }
          owner.execute(
              () -> {
                isBusy = false;
                end.ifPresent(found -> ended.accept(found, why[0]));
              });
        });
  }

  private Optional<End> read(String[] why) {
    try {
      return reader.step() ? Optional.of(End.INTACT) : Optional.empty();
    } catch (SnapshotDamagedException | MalformedException e) {
      why[0] = e.getMessage();
      return Optional.of(e instanceof SnapshotDamagedException ? End.DAMAGED : End.UNREAD);
    } catch (IOException | RuntimeException e) {
      why[0] = e.getMessage();
      return Optional.of(End.UNREAD);
    }
  }

  /** Ends the reading; nothing is reported any more. */
  void cancel() {
    isCancelled = true;
    if (!isBusy) {
      isBusy = true;
      waiting.execute(reader::close);
    }
  }
}
