package io.tunnel.server.catalog;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** Keeps texts by name, durably. */
public interface CatalogStore extends Closeable {

  /** Everything kept. */
  Map<String, String> all() throws IOException;

  /** Sets or (empty) removes all of {@code changes} or none; durable when it returns. */
  void write(Map<String, Optional<String>> changes) throws IOException;
}
