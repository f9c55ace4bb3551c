/**
 * What it costs to keep a table of changes in RocksDB, with one option or another, and by files
 * that are made beside it and taken in: the program is {@link io.tunnel.bench.fold.FoldMain}.
 */
package io.tunnel.bench.fold;
