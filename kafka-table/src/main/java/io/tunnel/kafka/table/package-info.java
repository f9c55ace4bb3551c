/**
 * A topic as a table that Apache Kafka Streams keeps in RocksDB, in a JVM of its own: {@link
 * io.tunnel.kafka.table.StreamsTables} starts it, {@code TableMain} is what runs there. Nothing of
 * Kafka Streams, nor its RocksDB, comes to the class path of the program that starts one.
 *
 * <p>Both speak in lines. The child is asked on its standard input, one thing at a time:
 *
 * <pre>
 * FOLLOW APPLICATION TOPIC PARTITIONS     FOLLOWING
 * COUNT                                   COUNTED ROWS
 * FORGET                                  FORGOTTEN
 * </pre>
 *
 * <p>Unasked it says {@code RECORDS N} when more records are in the table, and {@code FAILED WHY}.
 * It ends when its standard input does.
 */
package io.tunnel.kafka.table;
