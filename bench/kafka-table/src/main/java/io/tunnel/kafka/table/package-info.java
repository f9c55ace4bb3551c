/**
 * A topic as a table that Apache Kafka Streams keeps in RocksDB, in a JVM of its own: {@link
 * io.tunnel.kafka.table.StreamsTables} starts it, {@code TableMain} is the main class there. The
 * class path of the starting program stays free of Kafka Streams and its RocksDB.
 *
 * <p>Parent and child exchange lines. Requests come on the child's standard input, one at a time:
 *
 * <pre>
 * FOLLOW APPLICATION TOPIC PARTITIONS     FOLLOWING
 * COUNT                                   COUNTED ROWS
 * FORGET                                  FORGOTTEN
 * </pre>
 *
 * <p>Without a request, the child sends {@code RECORDS N} when the table has more records, and
 * {@code FAILED WHY}. The child ends with its standard input.
 */
package io.tunnel.kafka.table;
