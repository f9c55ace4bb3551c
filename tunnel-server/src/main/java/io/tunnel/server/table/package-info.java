/**
 * The table: rows as a fold of the log, kept in RocksDB. RocksDB's own write-ahead log is off; the
 * log offset up to which the rows are folded is part of every batch written, so that whatever
 * RocksDB has after a crash, the rest of the log is replayed onto exactly that.
 *
 * <p>{@code docs/storage.md} draws keys and values.
 */
package io.tunnel.server.table;
