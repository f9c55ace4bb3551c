/**
 * The log: ordered, durable changes. It is the truth; the table is a fold of it, and channels
 * deliver its very bytes.
 *
 * <p>A shard has one log, a sequence of segment files in which groups of batches of many partitions
 * stand back to back ({@code docs/internals/storage.md} draws every byte). One thread appends; any
 * thread may read what is committed. Files are reached through {@link io.tunnel.server.disk.Disk},
 * so that tests can lose what was not synced.
 */
package io.tunnel.server.log;
