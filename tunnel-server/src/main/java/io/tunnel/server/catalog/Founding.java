package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
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
 * @param log form of the cluster's log
 */
public record Founding(CatalogIdentity identity, Bytes grantKey, int level, LogForm log) {

  /**
   * Writes form, identity, key and level into an empty store, in one write.
   *
   * @throws IOException also when the store has a catalog of another form of log, or a level that
   *     this build does not serve
   */
  public void noteIn(CatalogStore store) throws IOException {
    Map<String, String> texts = store.all();
    if (!texts.isEmpty()) {
      log.require(texts);
      CatalogLevel.requireServed(texts, level);
      return;
    }
    store.write(changes());
  }

  /** The changes that give an empty catalog its form, identity, key and level. */
  Map<String, Optional<String>> changes() {
    Map<String, Optional<String>> changes = new HashMap<>(log.noting());
    changes.putAll(identity.noting());
    changes.putAll(ChannelGrants.noting(grantKey));
    changes.putAll(CatalogLevel.noting(level));
    return changes;
  }
}
