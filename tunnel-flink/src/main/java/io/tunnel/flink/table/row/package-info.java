/** Rows of Flink SQL and rows of tables, made of each other. */
package io.tunnel.flink.table.row;
