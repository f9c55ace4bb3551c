package io.tunnel.programs.bench.seeds;

import java.io.IOException;

/** A server that is measured, as a process on loopback. */
interface SeedServer extends AutoCloseable {

  /** Where it takes requests. */
  int port();

  /** Memory of the process; 0 where the system does not say as Linux does. */
  long residentBytes();

  /** Stops it. */
  @Override
  void close() throws IOException;
}
