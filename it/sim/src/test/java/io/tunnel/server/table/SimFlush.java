package io.tunnel.server.table;

import java.io.IOException;

/** Writes a table of a simulated machine to the files of the table. */
public final class SimFlush {

  private SimFlush() {}

  /** Returns when the files have all that is folded. */
  public static void flush(TableStore store) throws IOException {
    store.flush();
  }
}
