/**
 * The table: rows as a fold of the log, kept in a {@link io.tunnel.server.table.ByteMap}, which is
 * RocksDB on a server. The map has no log of its own; the log offset up to which the rows are
 * folded is part of every batch written, so that whatever the map has after a crash, the rest of
 * the log is replayed onto exactly that.
 *
 * <p>{@code docs/internals/storage.md} draws keys and values.
 */
package io.tunnel.server.table;
