package io.tunnel.server;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogStore;
import io.tunnel.server.kafka.StoreTail;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/** The catalog while this node decides about tables; on the control thread. */
final class LedCatalog implements LedStore.Leader {

  private final Catalog catalog;
  private final StoreTail tail;
  private final Executor control;
  private final LeftTopics left;

  /** Falls back on what {@code tail} tells. */
  LedCatalog(Catalog catalog, StoreTail tail, Executor control, LeftTopics left) {
    this.catalog = catalog;
    this.tail = tail;
    this.control = control;
    this.left = left;
  }

  @Override
  public void lead(CatalogStore store) throws IOException {
    catalog.lead(store);
    left.delete();
  }

  @Override
  public void stored(Map<String, Optional<String>> changes) {
    catalog.applied(changes);
  }

  @Override
  public void resign() {
    catalog.resign();
    tail.catchUp(() -> control.execute(catalog::caughtUp));
  }
}
