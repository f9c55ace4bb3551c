package io.tunnel.it.sim.machine;

import io.tunnel.server.catalog.store.CatalogStore;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The texts of a simulated server's catalog. They outlive every crash; a crash may come before or
 * after any change of them.
 */
public final class SimStore implements CatalogStore {

  private final TreeMap<String, String> texts = new TreeMap<>();
  private Observer observer = changes -> {};

  /** Is told of changes around the moment at which they become durable. */
  public interface Observer {
    /** The changes are durable from here on. */
    void written(Map<String, Optional<String>> changes);

    /** Something is about to be written, or was, and nobody knows yet. */
    default void beforeOrAfter() {}
  }

  public void observe(Observer next) {
    observer = next;
  }

  @Override
  public Map<String, String> all() {
    return new TreeMap<>(texts);
  }

  @Override
  public void write(Map<String, Optional<String>> changes) {
    observer.beforeOrAfter();
    Map<String, Optional<String>> inOrder = new TreeMap<>(changes);
    inOrder.forEach(
        (name, text) -> {
          if (text.isPresent()) {
            texts.put(name, text.get());
          } else {
            texts.remove(name);
          }
        });
    observer.written(inOrder);
    observer.beforeOrAfter();
  }

  /** The texts are those of a restored catalog; for a server that is down. */
  public void restore(Map<String, String> restored) {
    texts.clear();
    texts.putAll(restored);
  }

  /** The partition of that id was made of the one before it; for a server that is down. */
  public void makeChild(int partition) {
    texts.replaceAll(
        (name, text) -> {
          if (!name.startsWith("table/")) {
            return text;
          }
          int at = text.indexOf("\"parents\":[]", text.indexOf("{\"id\":" + partition + ","));
          return text.substring(0, at)
              + "\"parents\":["
              + (partition - 1)
              + "]"
              + text.substring(at + "\"parents\":[]".length());
        });
  }

  @Override
  public void close() {
    // Texts outlive it.
  }
}
