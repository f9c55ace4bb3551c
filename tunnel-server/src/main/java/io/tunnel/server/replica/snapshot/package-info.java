/**
 * Snapshots of the rows of one partition, in blocks of bytes in a log of their own ({@code
 * SnapshotBlock}): a leader writes them ({@code SnapshotWriter}), other nodes verify them ({@code
 * SnapshotReader}) or begin with them ({@code SnapshotLoad}). {@code DueCore} says when a partition
 * needs one.
 */
package io.tunnel.server.replica.snapshot;
