package io.tunnel.server.catalog.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Keeps texts by name, durably. */
public interface CatalogStore extends Closeable {

  /** The catalog that is kept in {@code directory}, which is created when there is none. */
  static CatalogStore open(Path directory) throws IOException {
    return new RocksCatalogStore(directory);
  }

  /** Everything kept. */
  Map<String, String> all() throws IOException;

  /** What is kept under a name. */
  default Optional<String> text(String name) throws IOException {
    return Optional.ofNullable(all().get(name));
  }

  /** Sets or (empty) removes {@code changes} in {@code texts}, as a write does in a store. */
  static void apply(Map<String, Optional<String>> changes, Map<String, String> texts) {
    changes.forEach(
        (name, text) ->
            text.ifPresentOrElse(value -> texts.put(name, value), () -> texts.remove(name)));
  }

  /** Sets or (empty) removes all of {@code changes} or none; durable when it returns. */
  void write(Map<String, Optional<String>> changes) throws IOException;

  /**
   * Whether a write has failed of which it is not known yet whether it was stored: what was read
   * before may not be what is stored.
   */
  default boolean isInDoubt() {
    return false;
  }

  /** How often this machine's disk was asked to make a write durable; 0 for a store on others. */
  default long syncs() {
    return 0;
  }
}
