package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoredForm;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The form, identity and key that a cluster's catalog gets when it is first led, and keeps.
 *
 * @param identity identity of the catalog
 * @param grantKey key of {@link ChannelGrants}; a new random one in each object
 */
public record Founding(CatalogIdentity identity, Bytes grantKey) {

  /**
   * Writes form, identity and key into an empty store, in one write.
   *
   * @throws IOException also when the store has a catalog of another form
   */
  public void noteIn(CatalogStore store) throws IOException {
    Map<String, String> texts = store.all();
    if (!texts.isEmpty()) {
      requireForm(texts);
      return;
    }
    Map<String, Optional<String>> changes = new HashMap<>(StoredForm.noting());
    changes.putAll(identity.noting());
    changes.putAll(ChannelGrants.noting(grantKey));
    store.write(changes);
  }

  /** Refuses the texts of a catalog of another form. */
  static void requireForm(Map<String, String> texts) throws IOException {
    StoredForm.require("the cluster's catalog", StoredForm.in(texts));
  }
}
