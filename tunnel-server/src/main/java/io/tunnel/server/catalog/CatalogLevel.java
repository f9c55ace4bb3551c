package io.tunnel.server.catalog;

import io.tunnel.model.Level;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * The level of a cluster, as its catalog stores it and as this node knows it. The known level never
 * falls, whatever this node hears. One thread hears and raises, any thread may read.
 */
final class CatalogLevel {

  /** The name of the stored text. */
  private static final String NAME = "level";

  /** The greatest level that this node knows to be stored. */
  private volatile int known = Level.FIRST;

  /** The stored text. */
  private record Stored(int level) {
    Stored {
      Level.require("the catalog's level", level);
    }
  }

  /** The change that stores a level. */
  static Map<String, Optional<String>> noting(int level) {
    return Map.of(NAME, Optional.of(Json.toText(new Stored(level))));
  }

  private static int of(String text) {
    return Json.ofText(text, Stored.class).level();
  }

  int known() {
    return known;
  }

  /** Hears all stored texts. */
  void replace(Map<String, String> texts) {
    heard(Optional.ofNullable(texts.get(NAME)));
  }

  /** Hears stored changes. */
  void apply(Map<String, Optional<String>> changes) {
    heard(changes.getOrDefault(NAME, Optional.empty()));
  }

  private void heard(Optional<String> text) {
    text.ifPresent(level -> known = Math.max(known, of(level)));
  }

  /**
   * Refuses a store with a level below the known one.
   *
   * @throws CatalogWentBackException when the store is not the store that this node has followed
   */
  void requireIn(Map<String, String> texts) throws CatalogWentBackException {
    int stored = in(texts);
    if (stored < known) {
      throw new CatalogWentBackException(stored, known);
    }
  }

  /**
   * Refuses to lead a store with a level that this build does not serve.
   *
   * @throws IOException names both levels
   */
  static void requireServed(Map<String, String> texts, int levelMax) throws IOException {
    int stored = in(texts);
    if (stored > levelMax) {
      throw new IOException(
          "the catalog has level "
              + stored
              + ", and this build serves level "
              + levelMax
              + " at most, so this node does not lead the catalog");
    }
  }

  /** The level of a catalog with these texts. */
  static int in(Map<String, String> texts) {
    return Optional.ofNullable(texts.get(NAME)).map(CatalogLevel::of).orElse(Level.FIRST);
  }

  /**
   * Stores a higher level; does nothing where the level is as high already.
   *
   * @throws IOException when the level is not stored, or the outcome is unknown
   */
  void raise(CatalogStore store, int to) throws IOException {
    if (to > known) {
      store.write(noting(to));
      known = to;
    }
  }
}
