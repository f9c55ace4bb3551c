package io.tunnel.server.catalog;

import io.tunnel.model.Bytes;
import io.tunnel.wire.Json;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * Tells the catalog of a cluster apart from any other, also one that is made in its place. It is
 * the origin of the log that the catalog was first led in, and stays with the texts when they are
 * brought back into another log.
 */
public record CatalogIdentity(Bytes origin) {

  private static final String NAME = "identity";

  /** The identity among {@code texts}; nothing where the catalog was never led. */
  public static Optional<CatalogIdentity> in(Map<String, String> texts) {
    return Optional.ofNullable(texts.get(NAME))
        .map(text -> Json.ofText(text, CatalogIdentity.class));
  }

  /** Writes it to a store that has none: a store that is led always has one. */
  public void noteIn(CatalogStore store) throws IOException {
    if (in(store.all()).isEmpty()) {
      store.write(Map.of(NAME, Optional.of(Json.toText(this))));
    }
  }
}
