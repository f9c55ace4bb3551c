package io.tunnel.server.replica;

/**
 * Figures of all replicas of a node.
 *
 * @param waitingReadBytes bytes of records that were read but not folded
 * @param waitingWriteBytes bytes of batches that were accepted but not answered
 * @param localBytes of the local logs
 * @param failedShards whose disk failed
 * @param fullShards whose disk has no space
 * @param stalledShards whose disk needs longer than 3 s for a write
 * @param behind replicas that have not caught up with the end of the log as of their start
 * @param unread positions that these replicas must read to catch up
 * @param historyReads reads of the shared log for changes missing in the local logs
 * @param historyBytes of those
 * @param heldBytes bytes of those reads now in memory
 */
public record ReplicaFigures(
    int replicas,
    int leading,
    int behind,
    long unread,
    long waitingReadBytes,
    long waitingWriteBytes,
    long localBytes,
    int failedShards,
    int fullShards,
    int stalledShards,
    long historyReads,
    long historyBytes,
    long heldBytes) {}
