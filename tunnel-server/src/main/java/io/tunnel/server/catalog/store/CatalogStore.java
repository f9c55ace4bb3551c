package io.tunnel.server.catalog.store;

import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.rocks.RocksCatalogFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A durable store of texts by name. */
public interface CatalogStore extends Closeable {

  /** Opens the store in {@code directory}, or creates one; {@code nanos} is a monotonic clock. */
  static CatalogStore open(Path directory, LongSupplier nanos) throws IOException {
    return new LocalCatalogStore(() -> new RocksCatalogFile(directory), nanos);
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
   *
   * @throws UnknownOutcomeException when a start of the server may find the write; while the server
   *     runs, the store has the write only once it tells so
   * @throws StoreUnavailableException when nothing was stored, and a later attempt may succeed
   */
  void write(Map<String, Optional<String>> changes) throws IOException;

  /**
   * Whether the outcome of a failed write is unknown, so that the texts read before may be stale.
   */
  default boolean isInDoubt() {
    return false;
  }

  /** How the disk of this machine does that the store needs. For any thread. */
  default DiskCondition condition() {
    return DiskCondition.UP;
  }

  /**
   * Lets the store recover from a failure; a few times a second, by the thread that writes. Does
   * nothing in a store that recovers by other means.
   */
  default void tend() {}

  /** Number of syncs of this machine's disk; 0 for a store on other machines. */
  default long syncs() {
    return 0;
  }
}
