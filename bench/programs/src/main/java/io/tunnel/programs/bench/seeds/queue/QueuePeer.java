package io.tunnel.programs.bench.seeds.queue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A message broker to measure beside. {@link java.util.ServiceLoader} finds the broker, because its
 * libraries are optional.
 */
public interface QueuePeer {

  /** Whom people compare with. */
  String name();

  /**
   * Starts the broker on an empty directory.
   *
   * @param directory of this broker alone; created if missing
   * @param heapMib the most heap of the broker's JVM, in MiB
   * @param libraries class path of {@link LoadProgram}, for the process with the load
   * @throws IOException when the broker does not start
   */
  Broker start(Path directory, int heapMib, List<Path> libraries) throws IOException;

  /** A broker in a child process. */
  interface Broker extends Closeable {

    /** Names the process. */
    long pid();

    /** Where the process logs its garbage collections, as {@code -Xlog:gc} writes them. */
    Path gcLog();

    /** How the broker keeps messages, for people. */
    String settings();

    /** Starts a {@link LoadProgram} for this broker, with as much heap as our own load has. */
    List<String> loadCommand();
  }
}
