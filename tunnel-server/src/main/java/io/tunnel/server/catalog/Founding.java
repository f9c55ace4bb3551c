package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoredForm;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The form, identity, key and level that a cluster's catalog gets when it is first led.
 *
 * @param identity identity of the catalog
 * @param grantKey key of {@link ChannelGrants}; a new random one in each object
 * @param level highest level of this build, which a new catalog gets
 */
public record Founding(CatalogIdentity identity, Bytes grantKey, int level) {

  /**
   * Writes form, identity, key and level into an empty store, in one write.
   *
   * @throws IOException also when the store has a catalog of another form, or a level that this
   *     build does not serve
   */
  public void noteIn(CatalogStore store) throws IOException {
    Map<String, String> texts = store.all();
    if (!texts.isEmpty()) {
      requireForm(texts);
      CatalogLevel.requireServed(texts, level);
      return;
    }
    Map<String, Optional<String>> changes = new HashMap<>(StoredForm.noting());
    changes.putAll(identity.noting());
    changes.putAll(ChannelGrants.noting(grantKey));
    changes.putAll(CatalogLevel.noting(level));
    store.write(changes);
  }

  /** Refuses the texts of a catalog of another form. */
  static void requireForm(Map<String, String> texts) throws IOException {
    StoredForm.require("the cluster's catalog", StoredForm.in(texts));
  }
}
