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

/** The catalog while this node decides about tables; on the control thread. */
final class LedCatalog implements LedStore.Holder {

  private final Catalog catalog;
  private final Consumer<Runnable> catchUp;
  private final Executor control;
  private final LeftTopics left;
  private final Supplier<Founding> founding;
  private long resignations;

  /**
   * Falls back on what others have stored.
   *
   * @param catchUp runs an action when the catalog was told all that is stored by now
   * @param left looks after topics of tables
   * @param founding what a catalog is given that was never led
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
    // Before anything is decided: what is made from now on is told apart by it.
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

  /** What was stored before an earlier resignation is not all that this node knows. */
  private void caughtUp(long resignation) {
    if (resignation == resignations) {
      catalog.caughtUp();
    }
  }
}
