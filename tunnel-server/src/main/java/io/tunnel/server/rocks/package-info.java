/**
 * RocksDB: the rows of a table and the texts of a catalog in native maps. No other package knows
 * RocksDB.
 */
package io.tunnel.server.rocks;
