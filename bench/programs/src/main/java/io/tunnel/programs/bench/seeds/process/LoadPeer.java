package io.tunnel.programs.bench.seeds.process;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Another system to measure beside, with a load for it. {@link java.util.ServiceLoader} finds
 * peers, because their libraries are optional.
 */
public interface LoadPeer {

  /** The kind of workload that it is for, as workload files name it. */
  String kind();

  /** Whom people compare with. */
  String name();

  /**
   * Starts servers on an empty directory.
   *
   * @param directory of these servers alone; created if missing
   * @param servers how many, which know each other
   * @param heapMib the most heap of each JVM, in MiB
   * @param libraries class path of {@link LoadProgram}, for the process with the load
   * @throws IOException when a server does not start
   */
  Servers start(Path directory, int servers, int heapMib, List<Path> libraries) throws IOException;

  /** Servers in child processes. */
  interface Servers extends Closeable {

    /** Names the processes. */
    List<Long> pids();

    /** Where the first process logs its garbage collections, as {@code -Xlog:gc} writes them. */
    Path gcLog();

    /** How the servers keep what they are told, for people. */
    String settings();

    /** Starts a {@link LoadProgram} for these servers. */
    List<String> loadCommand();
  }
}
