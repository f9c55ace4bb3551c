/**
 * The engine of a server in the memory of a test: the product's shard, log, table, catalog,
 * sessions, channels and requests, on one thread, over a disk in memory and a sorted map, on a
 * clock that the test moves.
 */
package io.tunnel.it.memory;
