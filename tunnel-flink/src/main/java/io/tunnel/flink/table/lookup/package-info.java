/** Lookup joins: rows of a table by their keys. */
package io.tunnel.flink.table.lookup;
