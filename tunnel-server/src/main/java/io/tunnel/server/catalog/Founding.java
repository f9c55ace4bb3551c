package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The identity and key that a cluster's catalog gets when it is first led, and keeps.
 *
 * @param identity identity of the catalog
 * @param grantKey key of {@link ChannelGrants}; a new random one in each object
 */
public record Founding(CatalogIdentity identity, Bytes grantKey) {

  /** Writes identity and key if the store lacks them. */
  public void noteIn(CatalogStore store) throws IOException {
    Map<String, String> texts = store.all();
    Map<String, Optional<String>> changes = new HashMap<>();
    if (CatalogIdentity.in(texts).isEmpty()) {
      changes.putAll(identity.noting());
    }
    if (!ChannelGrants.isIn(texts)) {
      changes.putAll(ChannelGrants.noting(grantKey));
    }
    if (!changes.isEmpty()) {
      store.write(changes);
    }
  }
}
