package io.tunnel.server.catalog;

import java.io.IOException;

/**
 * A store has counted fewer tables or partitions, or has a lower level, than this node knows: it is
 * another catalog's store.
 */
final class CatalogWentBackException extends IOException {

  private static final long serialVersionUID = 1L;

  CatalogWentBackException(int storedLevel, int knownLevel) {
    super(
        "the catalog that is stored has level %d, and this node knows of level %d: a level never falls, so it is an older catalog; restore the newest one"
            .formatted(storedLevel, knownLevel));
  }

  CatalogWentBackException(Counters stored, Counters known) {
    super(
        "the catalog that is stored has counted %d tables and %d partitions, and this node knows of %d and %d: it is not the catalog of these tables"
            .formatted(stored.tables(), stored.partitions(), known.tables(), known.partitions()));
  }
}
