package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.WriteResult;

/**
 * A validated batch that waits for its shard.
 *
 * @param isConditional whether any of its rows has a condition or is an update, and so must be
 *     judged against the row that is stored
 * @param isSynced whether it is acknowledged only when it is on the disk
 */
public record PendingWrite(
    ChangeBatch batch, boolean isConditional, boolean isSynced, Outcome outcome)
    implements ShardTask {
  /** Is told once what became of a write. Called on the shard's thread: it must only pass it on. */
  public interface Outcome {

    /** The write is as durable as it asked to be. */
    void written(WriteResult result);

    /** Nothing was applied, except that after STORAGE_FAILED nobody knows. */
    void refused(RefusedException reason);
  }
}
