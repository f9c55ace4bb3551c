package io.tunnel.kafka.broker;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A program that keeps topics as tables, as a user of Kafka would; found by {@link
 * java.util.ServiceLoader}, so that who does not use it need not have what it stands on.
 */
public interface TopicTables {

  /**
   * Starts the program, which follows no topic yet.
   *
   * @param directory of this program alone; made if it is not there
   * @param bootstrap where the broker is, as HOST:PORT
   * @param heapMib of its JVM
   * @throws IOException when it does not start
   */
  TopicTable start(Path directory, String bootstrap, int heapMib) throws IOException;
}
