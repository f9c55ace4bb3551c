package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;

/**
 * A validated batch that waits for its shard.
 *
 * @param isConditional whether any of its rows has a condition
 * @param isSynced whether it is acknowledged only when it is on the disk
 */
public record PendingWrite(
    ChangeBatch batch, boolean isConditional, boolean isSynced, WriteOutcome outcome)
    implements ShardTask {}
