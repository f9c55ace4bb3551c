/** Conversions between rows of Flink SQL and rows of tables. */
package io.tunnel.flink.table.row;
