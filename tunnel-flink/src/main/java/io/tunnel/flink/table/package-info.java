/** Tables for Flink's Table API and SQL: {@code 'connector' = 'tunnel'}, and a catalog. */
package io.tunnel.flink.table;
