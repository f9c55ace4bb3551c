package io.tunnel.server.engine;

import io.tunnel.server.catalog.store.CatalogStore;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The texts of a catalog in memory; each write is durable. For one thread. */
final class MemoryStore implements CatalogStore {

  private final Map<String, String> texts = new TreeMap<>();

  /** The texts as the next process finds them. */
  MemoryStore afterDeath() {
    MemoryStore left = new MemoryStore();
    left.texts.putAll(texts);
    return left;
  }

  @Override
  public Map<String, String> all() {
    return new TreeMap<>(texts);
  }

  @Override
  public void write(Map<String, Optional<String>> changes) {
    CatalogStore.apply(changes, texts);
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
