package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.wire.control.Json;
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

  /** What has to be written for a catalog to have it. */
  Map<String, Optional<String>> noting() {
    return Map.of(NAME, Optional.of(Json.toText(this)));
  }

  /**
   * Stores what is stored already, so that it is certain that nobody else writes.
   *
   * @throws FencedStoreException when another writes by now
   * @throws StoreUnavailableException when nobody can tell now
   */
  void confirm(CatalogStore store) throws IOException {
    try {
      store.write(noting());
    } catch (UnknownOutcomeException e) {
      throw new StoreUnavailableException(e.getMessage(), e);
    }
  }
}
