package io.tunnel.server.catalog;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ids that no table of this catalog has had, though they are counted: there was a log under each
 * that is of another table. Texts named {@code passed/ID}. Changed by one thread, read by any.
 */
final class PassedIds {

  private static final String PASSED = "passed/";

  private final Set<String> names = ConcurrentHashMap.newKeySet();

  /** What has to be written when the ids between two are passed over. */
  static Map<String, Optional<String>> noting(int before, int given) {
    Map<String, Optional<String>> changes = new HashMap<>();
    for (int id = before + 1; id < given; id++) {
      changes.put(PASSED + id, Optional.of("{}"));
    }
    return changes;
  }

  boolean contains(int tableId) {
    return names.contains(PASSED + tableId);
  }

  /** Takes over texts that are stored; those of others are left alone. */
  void apply(Map<String, Optional<String>> changes) {
    changes.forEach(
        (name, text) -> {
          if (name.startsWith(PASSED) && text.isPresent()) {
            names.add(name);
          }
        });
  }

  /** Takes over everything that is stored. */
  void replace(Map<String, String> texts) {
    names.retainAll(texts.keySet());
    texts.forEach((name, text) -> apply(Map.of(name, Optional.of(text))));
  }
}
