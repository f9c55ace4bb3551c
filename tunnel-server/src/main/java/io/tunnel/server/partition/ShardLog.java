package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.FormatFeature;
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
   * Why no write to a partition may be evaluated now; empty where the shard has all changes that
   * count and may append.
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
   * @throws io.tunnel.server.disk.DiskFullException when the disk has no space; nothing was written
   * @throws IOException when the disk failed; whether the group was written is unknown, and the log
   *     accepts no more
   */
  void append(OpenGroup group, LongSupplier commitMicros) throws IOException;

  /**
   * Takes what the log has settled since the last call: groups of this shard, and changes of other
   * leaders, those of each partition in the order of their positions.
   *
   * @throws io.tunnel.server.disk.DiskFullException when {@link #local} has no space; nothing was
   *     taken, and a later call takes it
   */
  List<Settled> takeSettled() throws IOException;

  /** What counts from now on, or never will. */
  sealed interface Settled {}

  /**
   * Records that this shard did not append count: changes of another leader, or none.
   *
   * @param batches of the partition, as {@link #local} has them: rows, answers to writers, and
   *     places of records
   * @param end the end of the batches in {@link #local}
   */
  record Followed(int partition, List<ChangeBatch> batches, long end) implements Settled {

    /** Whether there are rows or answers to writers, and not only places of records. */
    boolean isChange() {
      return batches.stream()
          .anyMatch(
              batch ->
                  batch.rowCount() > 0 || batch.attribute(FormatFeature.RECORD_PLACE).isEmpty());
    }
  }

  /**
   * The group counts, and {@linkplain OpenGroup#place knows its positions}.
   *
   * @param beside batches without rows, which other nodes read with the group; empty where no other
   *     node reads
   * @param end the end of the group in {@link #local}
   */
  record Counted(OpenGroup group, List<ChangeBatch> beside, long end) implements Settled {

    /** A group that no other node reads. */
    Counted(OpenGroup group, long end) {
      this(group, List.of(), end);
    }
  }

  /** No change of the group counts; each write of the group is refused with {@code reason}. */
  record NeverCounts(OpenGroup group, RefusedException reason) implements Settled {}
}
