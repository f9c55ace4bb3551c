package io.tunnel.server.catalog;

/**
 * Is told, by the thread that changes the catalog, what has just become of tables, wherever it was
 * decided. It must only pass it on, or do what is quickly done.
 */
public interface TableListener {

  /** A table is there. */
  void created(TableRecord table);

  /** A table has other options. */
  void altered(TableRecord before, TableRecord now);

  /** A table is gone, and with it its rows, changes and tunnels. */
  void dropped(TableRecord table);
}
