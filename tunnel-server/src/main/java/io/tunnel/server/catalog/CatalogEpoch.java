package io.tunnel.server.catalog;

import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * Numbers the leaders of a cluster's catalog. A leader writes the next epoch before it decides by a
 * lease. So a node that finds its own epoch at the end of the catalog's log led until then, and no
 * later leader had begun a lease.
 *
 * @param epoch at least 1
 */
public record CatalogEpoch(long epoch) {

  private static final String NAME = "catalogepoch";

  /**
   * Begins the next epoch, which is durable when this returns.
   *
   * @throws IOException when the epoch is not stored, or the outcome is unknown
   */
  public static CatalogEpoch begin(CatalogStore store) throws IOException {
    long former = in(store.all()).map(CatalogEpoch::epoch).orElse(0L);
    CatalogEpoch next = new CatalogEpoch(former + 1);
    store.write(Map.of(NAME, Optional.of(Json.toText(next))));
    return next;
  }

  private static Optional<CatalogEpoch> in(Map<String, String> texts) {
    return Optional.ofNullable(texts.get(NAME))
        .map(text -> StoredText.whole(NAME, text, CatalogEpoch.class));
  }

  /** Whether no later leader has begun, as far as these texts tell. */
  public boolean isNewestIn(Map<String, String> texts) {
    return in(texts).filter(this::equals).isPresent();
  }
}
