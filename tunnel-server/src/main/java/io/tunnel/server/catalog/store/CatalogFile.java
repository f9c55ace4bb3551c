package io.tunnel.server.catalog.store;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** The files of a local catalog, from one opening to the close. Used by one thread at a time. */
public interface CatalogFile extends Closeable {

  /**
   * Opens the files. What an opening has read is durable when it returns, whatever became of the
   * syncs before.
   */
  @FunctionalInterface
  interface Opener {
    /** Opens the files, or creates them. */
    CatalogFile open() throws IOException;
  }

  /** All texts by name. */
  Map<String, String> all() throws IOException;

  /** The stored text of each name, or empty; a failed write is not visible. */
  Map<String, Optional<String>> texts(Collection<String> names) throws IOException;

  /**
   * Sets texts, or removes them when empty, all or none; durable when it returns.
   *
   * @throws IOException when it is unknown whether a later opening finds the write
   */
  void write(Map<String, Optional<String>> changes) throws IOException;

  /** Syncs since the opening. */
  long syncs();

  @Override
  void close();
}
