package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the catalog of a cluster apart from any other, even one created in its place. The identity
 * is the origin of the log in which the catalog was first led, and stays with the texts when they
 * are restored into another log.
 */
public record CatalogIdentity(Bytes origin) {

  private static final Logger LOGGER = LoggerFactory.getLogger(CatalogIdentity.class);
  private static final String NAME = "identity";

  /** The identity among {@code texts}; absent if the catalog was never led. */
  public static Optional<CatalogIdentity> in(Map<String, String> texts) {
    return Optional.ofNullable(texts.get(NAME))
        .map(text -> StoredText.whole(NAME, text, CatalogIdentity.class));
  }

  /** The change that gives a catalog this identity. */
  Map<String, Optional<String>> noting() {
    return Map.of(NAME, Optional.of(Json.toText(this)));
  }

  /**
   * Confirms the lead if a leader hears changes that are not in its store: another node may have
   * written. This node's own texts come back too, sometimes after newer ones; then the confirmation
   * is needless.
   */
  void confirmBehind(Map<String, Optional<String>> changes, CatalogStore led) {
    try {
      for (Map.Entry<String, Optional<String>> change : changes.entrySet()) {
        if (!led.text(change.getKey()).equals(change.getValue())) {
          confirm(led);
          return;
        }
      }
    } catch (IOException e) {
      // A store tells its leader when it was fenced; if it cannot tell now, the next write will.
      LOGGER.debug("cannot confirm that this node writes the catalog", e);
    }
  }

  /**
   * Writes the stored identity again, which fails if another node writes to the store.
   *
   * @throws FencedStoreException when another node writes by now
   * @throws StoreUnavailableException when the store cannot tell now
   */
  void confirm(CatalogStore store) throws IOException {
    try {
      store.write(noting());
    } catch (UnknownOutcomeException e) {
      throw new StoreUnavailableException(e.getMessage(), e);
    }
  }
}
