package io.tunnel.server.catalog.store;

import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * The number that ties the logs and rows of a server without a cluster to its catalog: each segment
 * and each table carries the number too. Partition ids begin at 1 in every catalog, so without the
 * number a server could take one table's changes for another's.
 *
 * @param number never 0, which marks files without an origin
 */
public record StoredOrigin(int number) {

  private static final String NAME = "origin";

  /** The number among the texts of a catalog; 0 if there is none. */
  public static int in(Map<String, String> texts) {
    String text = texts.get(NAME);
    return text == null ? 0 : StoredText.whole(NAME, text, StoredOrigin.class).number();
  }

  /**
   * The number of the catalog in {@code store}; durable when this returns.
   *
   * @param fresh makes a number if the catalog has none
   */
  public static int ensure(CatalogStore store, IntSupplier fresh) throws IOException {
    int stored = in(store.all());
    if (stored != 0) {
      return stored;
    }
    int number = Math.max(1, fresh.getAsInt() & Integer.MAX_VALUE);
    store.write(noting(number));
    return number;
  }

  /** The change that stores a number. */
  public static Map<String, Optional<String>> noting(int number) {
    return Map.of(NAME, Optional.of(Json.toText(new StoredOrigin(number))));
  }
}
