package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.AppendValue.Trim;

/**
 * What a node knows of the log of a partition that it has a replica of; immutable. A reader of old
 * changes searches the log for a record, and asks here whether the record counts: a header alone
 * never decides.
 *
 * @param lane number of the lane that read the log; 0 without a replica. A replica that is rebuilt
 *     has another lane
 * @param follow what the replica has read. Published before the local log has the records
 * @param trimmed what readers must not ask for
 */
record KnownLog(long lane, FollowState follow, Trim trimmed) {

  /** Of a partition without a replica. */
  static final KnownLog NONE = new KnownLog(0, FollowState.NONE, Trim.NONE);

  /**
   * The first position that can be read from the log: after what is trimmed, and in an epoch that
   * {@link FollowCore} remembers.
   */
  long firstPosition() {
    long remembered =
        follow.stretches().isEmpty() ? follow.position() : follow.stretches().get(0).first();
    return Math.max(trimmed.position(), remembered);
  }

  /** Whether a record that was read counts; false for a record after what is known. */
  boolean counts(Stored record) {
    return follow.hasCounted(record.offset(), record.header());
  }
}
