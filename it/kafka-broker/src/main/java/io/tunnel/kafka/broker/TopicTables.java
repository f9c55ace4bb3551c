package io.tunnel.kafka.broker;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A program that keeps topics as tables, as a user of Kafka would. {@link java.util.ServiceLoader}
 * finds the program, so that its libraries are optional.
 */
public interface TopicTables {

  /**
   * Starts the program, without a topic yet.
   *
   * @param directory the directory of this program alone; created if missing
   * @param bootstrap the address of the broker, as HOST:PORT
   * @param heapMib the heap of the JVM, in MiB
   * @throws IOException when the program does not start
   */
  TopicTable start(Path directory, String bootstrap, int heapMib) throws IOException;
}
