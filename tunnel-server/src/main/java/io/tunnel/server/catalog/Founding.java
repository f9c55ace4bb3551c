package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a catalog of a cluster is given when it is led for the first time, and keeps.
 *
 * @param identity of the catalog
 * @param grantKey of {@link ChannelGrants}; a new one each time that it is asked for
 */
public record Founding(CatalogIdentity identity, Bytes grantKey) {

  /** Writes what a store does not have: a store that is led always has it. */
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
