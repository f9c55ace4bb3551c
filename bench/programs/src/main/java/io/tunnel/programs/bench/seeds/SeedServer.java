package io.tunnel.programs.bench.seeds;

import java.io.IOException;

/** A server that is measured, or several that are one service, as processes on loopback. */
interface SeedServer extends AutoCloseable {

  /** Where the requests of the client of that number go. */
  int port(int client);

  /**
   * Memory of the process, on average if there are several; 0 where the system does not say as
   * Linux does.
   */
  long residentBytes();

  /** Stops it. */
  @Override
  void close() throws IOException;
}
