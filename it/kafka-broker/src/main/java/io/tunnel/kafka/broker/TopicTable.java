package io.tunnel.kafka.broker;

import java.io.Closeable;
import java.io.IOException;

/**
 * A running program of {@link TopicTables}, with one table at a time. The program ends with this
 * JVM, in every way that this JVM may end.
 */
public interface TopicTable extends Closeable {

  /**
   * Starts to keep a topic as a table, and returns when the program follows all partitions.
   *
   * @param application the consumer group, which names the program's progress at the broker
   * @throws IOException when the program fails
   */
  void follow(String application, String topic, int partitions) throws IOException;

  /** The number of records in the table. */
  long records();

  /**
   * Returns when {@code count} records are in the table.
   *
   * @throws IOException when the time has passed, or the program has failed
   */
  void awaitRecords(long count, long secondsMax) throws IOException;

  /** Counts the rows by reading the whole table. */
  long countRows() throws IOException;

  /** Stops following the topic, leaves the consumer group, and deletes the table. */
  void forget() throws IOException;

  /** The processor time of the program since its start. */
  long cpuNanos();

  /** Ends the program in every state. Idempotent. */
  @Override
  void close();
}
