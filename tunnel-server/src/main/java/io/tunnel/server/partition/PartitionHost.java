package io.tunnel.server.partition;

import io.tunnel.model.RefusedException;
import io.tunnel.server.table.TableRows;
import java.util.function.Consumer;

/** Where the rows of a partition are written and read. Methods may be called by any thread. */
public interface PartitionHost {

  /**
   * Queues a write.
   *
   * @throws RefusedException retriable; the outcome is not told then
   */
  void write(PendingWrite write);

  /**
   * Runs {@code action} on the host's thread when everything of a partition that was acknowledged
   * before is folded: that is enough for a read. Where a write can be under way for long, as in a
   * log that many nodes share, this does not wait for it.
   */
  void execute(int partition, Runnable action);

  /**
   * Runs {@code action} on the host's thread once everything of a partition that was acknowledged
   * before, by whatever node, is folded; the host asks the log for that. A host that no other node
   * can take over has nothing to ask.
   *
   * @param refused is notified instead when the log did not answer in time, by any thread
   */
  default void executeStrictly(int partition, Runnable action, Consumer<RefusedException> refused) {
    execute(partition, action);
  }

  /**
   * Throws when another node may have taken over this host long enough ago that the rows exceed the
   * allowed staleness. Callers call this method before a read.
   *
   * @throws RefusedException NOT_LEADER
   */
  default void requireFresh() {}

  /** The rows, for readers. */
  TableRows table();

  /**
   * The rows with everything of a partition that was acknowledged before, for callers that do not
   * come by {@link #execute}: the calling thread folds what is not folded, unless the disk refuses.
   */
  default TableRows tableNow(int partition) {
    return table();
  }

  /**
   * Throws unless all reads of {@link #table} since the caller looked up this host saw complete
   * rows. Callers call this method after each read, and before they show the result: during a read
   * the host may drop the rows, or the rows may already be those of another leader.
   *
   * @throws RefusedException NOT_LEADER when they are, or are about to be, hosted elsewhere;
   *     STORAGE_FAILED when the disk failed
   */
  void requireWhole();
}
