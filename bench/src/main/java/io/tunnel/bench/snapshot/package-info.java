/**
 * What it costs to write a snapshot of a partition and to begin with it: the program is {@link
 * io.tunnel.bench.snapshot.SnapshotMain}.
 */
package io.tunnel.bench.snapshot;
