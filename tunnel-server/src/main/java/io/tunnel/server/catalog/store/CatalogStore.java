package io.tunnel.server.catalog.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A durable store of texts by name. */
public interface CatalogStore extends Closeable {

  /** Opens the store in {@code directory}, or creates one. */
  static CatalogStore open(Path directory) throws IOException {
    return new RocksCatalogStore(directory);
  }

  /** All texts by name. */
  Map<String, String> all() throws IOException;

  /** The text of a name. */
  default Optional<String> text(String name) throws IOException {
    return Optional.ofNullable(all().get(name));
  }

  /**
   * Applies changes to {@code texts} as a write does in a store: sets texts, or removes them when
   * empty.
   */
  static void apply(Map<String, Optional<String>> changes, Map<String, String> texts) {
    changes.forEach(
        (name, text) ->
            text.ifPresentOrElse(value -> texts.put(name, value), () -> texts.remove(name)));
  }

  /**
   * Sets texts, or removes them when empty: all of {@code changes} or none. Durable when it
   * returns.
   */
  void write(Map<String, Optional<String>> changes) throws IOException;

  /**
   * Whether the outcome of a failed write is unknown, so that the texts read before may be stale.
   */
  default boolean isInDoubt() {
    return false;
  }

  /** Number of syncs of this machine's disk; 0 for a store on other machines. */
  default long syncs() {
    return 0;
  }
}
