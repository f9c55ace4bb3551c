package io.tunnel.programs.bench.peer;

/** A peer that keeps a table, in which a row can be looked up by its key. */
public interface TablePeer extends Peer {

  /** How many of the rows that were written last can be looked up, as far as that is known. */
  long rowsKept();

  /**
   * Returns when every row of a table can be looked up.
   *
   * @param rows all that were written and acknowledged
   * @throws io.tunnel.terminal.CommandFailure when they cannot within the time
   */
  void awaitKept(String table, long rows, long secondsMax) throws Exception;

  /** Refuses a table that does not hold exactly {@code rows} rows. */
  void requireKept(String table, long rows) throws Exception;
}
