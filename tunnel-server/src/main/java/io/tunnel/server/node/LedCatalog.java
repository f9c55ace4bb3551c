package io.tunnel.server.node;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.store.CatalogStore;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Leads the catalog on the control thread, while this node decides about tables. */
final class LedCatalog implements LedStore.Holder {

  private final Catalog catalog;
  private final Consumer<Runnable> catchUp;
  private final Executor control;
  private final LeftTopics left;
  private final Supplier<Founding> founding;
  private long resignations;

  /**
   * Follows other nodes' writes again after a resignation.
   *
   * @param catchUp runs an action once the catalog has followed all writes before the call
   * @param left looks after the topics of tables
   * @param founding the identity and key that a new catalog gets
   */
  LedCatalog(
      Catalog catalog,
      Consumer<Runnable> catchUp,
      Executor control,
      LeftTopics left,
      Supplier<Founding> founding) {
    this.catalog = catalog;
    this.catchUp = catchUp;
    this.control = control;
    this.left = left;
    this.founding = founding;
  }

  @Override
  public void lead(CatalogStore store) throws IOException {
    // Before any decision: tables made from now on carry the catalog's identity.
    founding.get().noteIn(store);
    catalog.lead(store);
    control.execute(this::lookAfterTopics);
  }

  private void lookAfterTopics() {
    if (catalog.isLeading()) {
      left.look();
    }
  }

  @Override
  public void stored(Map<String, Optional<String>> changes) {
    catalog.applied(changes);
  }

  @Override
  public void resign() {
    catalog.resign();
    resignations++;
    long own = resignations;
    catchUp.accept(() -> control.execute(() -> caughtUp(own)));
  }

  /** Ignores the end of an earlier resignation: this node has written since. */
  private void caughtUp(long resignation) {
    if (resignation == resignations) {
      catalog.caughtUp();
    }
  }
}
