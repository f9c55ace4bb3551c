package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.server.log.LocalLog;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Where a shard appends its groups. A log settles each group once: the group counts, or no change
 * of the group ever counts. Until then no write of the group is answered and no change of the group
 * is folded or delivered.
 *
 * <p>Groups of one lane are settled in the order of their appends. If a group does not count, no
 * group of the lane that was appended after counts before the settlement is taken. Groups of
 * different lanes are independent. For the shard's thread.
 */
public interface ShardLog extends Closeable {

  /**
   * The shard's own log, from which changes are read. A group that counts is in this log when
   * {@link #takeSettled} returns the group.
   */
  LocalLog local();

  /** The lane of a partition. A group has writes of one lane only. */
  int laneOf(int partition);

  /**
   * Why no write to a partition may be judged now; empty where the shard has all changes that count
   * and may append.
   */
  default Optional<RefusedException> refusal(int partition) {
    return Optional.empty();
  }

  /** How many groups of a lane may be appended and not settled. */
  int appendsMax();

  /**
   * Appends a group, which has at least one write. A log may settle the group before the method
   * returns.
   *
   * @param commitMicros the clock; asked once, if the group has changes
   * @throws io.tunnel.server.disk.DiskFullException when there is no room; nothing was written
   * @throws IOException when the disk failed; whether the group was written is unknown, and the log
   *     accepts no more
   */
  void append(OpenGroup group, LongSupplier commitMicros) throws IOException;

  /**
   * Takes what the log has settled since the last call: groups of this shard, and changes of other
   * leaders, those of each partition in the order of their positions.
   */
  List<Settled> takeSettled() throws IOException;

  /** What counts from now on, or never will. */
  sealed interface Settled {}

  /**
   * Changes that another leader has appended count.
   *
   * @param batches of one partition, as {@link #local} has them: rows, and answers to writers
   * @param end the end of the batches in {@link #local}
   */
  record Followed(List<ChangeBatch> batches, long end) implements Settled {}

  /**
   * The group counts, and {@linkplain OpenGroup#place knows its positions}.
   *
   * @param end the end of the group in {@link #local}
   */
  record Counted(OpenGroup group, long end) implements Settled {}

  /** No change of the group counts; each write of the group is refused with {@code reason}. */
  record NeverCounts(OpenGroup group, RefusedException reason) implements Settled {}
}
