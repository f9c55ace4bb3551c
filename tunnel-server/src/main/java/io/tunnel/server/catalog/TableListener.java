package io.tunnel.server.catalog;

/**
 * Hears what became of tables, whichever node decided it. The thread that changes the catalog
 * calls, so a listener only passes the news on, or does work that takes microseconds.
 */
@FunctionalInterface
public interface TableListener {

  /** A table exists now. */
  default void created(TableRecord table) {}

  /** A table has other options now. */
  default void altered(TableRecord before, TableRecord now) {}

  /** A table is gone, and with it its rows, changes and tunnels. */
  void dropped(TableRecord table);
}
