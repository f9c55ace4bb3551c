package io.tunnel.kafka.broker;

import java.io.Closeable;
import java.io.IOException;

/**
 * A running program of {@link TopicTables}, with one table at a time. It ends with this JVM,
 * however that ends.
 */
public interface TopicTable extends Closeable {

  /**
   * Begins to keep a topic as a table, and returns when all of its partitions are followed.
   *
   * @param application names the program's progress with the broker: a consumer group
   * @throws IOException when it cannot
   */
  void follow(String application, String topic, int partitions) throws IOException;

  /** How many records of the topic are in the table. */
  long records();

  /**
   * Returns when so many records are in the table.
   *
   * @throws IOException when they are not within the time, or the program has failed
   */
  void awaitRecords(long count, long secondsMax) throws IOException;

  /** Counts the rows by reading the whole table. */
  long countRows() throws IOException;

  /** Follows the topic no longer, leaves its group, and forgets the table. */
  void forget() throws IOException;

  /** The processor time that the program has taken since it was started. */
  long cpuNanos();

  /** Ends the program, whatever it does. Idempotent. */
  @Override
  void close();
}
