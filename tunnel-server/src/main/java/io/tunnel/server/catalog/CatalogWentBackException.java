package io.tunnel.server.catalog;

import java.io.IOException;

/**
 * A store has counted fewer tables or partitions than this node knows: it is another catalog's
 * store.
 */
final class CatalogWentBackException extends IOException {

  private static final long serialVersionUID = 1L;

  CatalogWentBackException(Counters stored, Counters known) {
    super(
        "the catalog that is stored has counted %d tables and %d partitions, and this node knows of %d and %d: it is not the catalog of these tables"
            .formatted(stored.tables(), stored.partitions(), known.tables(), known.partitions()));
  }
}
