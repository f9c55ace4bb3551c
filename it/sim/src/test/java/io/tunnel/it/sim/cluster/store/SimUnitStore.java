package io.tunnel.it.sim.cluster.store;

import io.tunnel.it.sim.cluster.group.Reach;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreListener;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * A unit's texts, as the node that opened them last writes them. A write whose answer does not come
 * in time keeps its thread waiting, and may be stored, at once or later, unless somebody else
 * begins to write before that.
 */
public final class SimUnitStore implements CatalogStore {

  private static final long WRITE_NANOS_MAX = 3_000_000_000L;
  private static final long LATE_NANOS_MAX = 8_000_000_000L;

  private final SimStores stores;
  private final int id;
  private final Reach reach;
  private final BooleanSupplier isReached;
  private final BooleanSupplier isDeaf;
  private final SimThread control;
  private final StoreListener listener;
  private final long writer;

  /** The texts at the opening, with all writes since. */
  private final Map<String, String> texts;

  private boolean isWaiting;
  private boolean isFenced;
  private boolean isClosed;

  /**
   * Becomes the only writer of a unit.
   *
   * @param isReached whether a write arrives, and its answer comes back
   * @param isDeaf whether a write arrives, and no answer comes back
   */
  public SimUnitStore(
      Opened opened,
      Reach reach,
      BooleanSupplier isReached,
      BooleanSupplier isDeaf,
      SimThread control) {
    this.isDeaf = isDeaf;
    this.stores = opened.stores();
    this.id = opened.unit();
    this.listener = opened.listener();
    this.reach = reach;
    this.isReached = isReached;
    this.control = control;
    writer = ++stores.unit(id).writer;
    texts = new TreeMap<>(stores.unit(id).texts);
  }

  /** What is opened, for whom. */
  public record Opened(SimStores stores, int unit, StoreListener listener) {}

  private boolean isNewest() {
    return stores.unit(id).writer == writer;
  }

  @Override
  public Map<String, String> all() {
    return new TreeMap<>(texts);
  }

  @Override
  public void write(Map<String, Optional<String>> changes) throws IOException {
    if (changes.isEmpty()) {
      return;
    }
    if (isWaiting || isClosed) {
      stores.inDoubt();
      throw new StoreUnavailableException("an earlier write is under way");
    }
    boolean isAnswered = isReached.getAsBoolean() && !reach.loses();
    if (isFenced || (isAnswered && !isNewest())) {
      throw fenced();
    }
    if (isAnswered) {
      control.block(reach.nanos());
      commit(changes);
      return;
    }
    isWaiting = true;
    stores.inDoubt();
    control.block(WRITE_NANOS_MAX);
    boolean isStored =
        isNewest()
            && (isDeaf.getAsBoolean() || (isReached.getAsBoolean() && reach.random.nextBoolean()));
    if (isStored) {
      commit(changes);
    }
    reach.agenda.after(
        WRITE_NANOS_MAX + reach.random.nextLong(LATE_NANOS_MAX), () -> known(changes, isStored));
    throw new UnknownOutcomeException("no answer in time", null);
  }

  @Override
  public boolean isInDoubt() {
    return isWaiting || isFenced;
  }

  private void commit(Map<String, Optional<String>> changes) {
    stores.commit(id, changes);
    CatalogStore.apply(changes, texts);
  }

  private FencedStoreException fenced() {
    if (!isFenced) {
      isFenced = true;
      FencedStoreException told = new FencedStoreException("another writes", null);
      control.execute(() -> listener.fenced(told));
    }
    return new FencedStoreException("another writes", null);
  }

  /** What became of a late write is known, as soon as it can be. */
  private void known(Map<String, Optional<String>> changes, boolean wasStored) {
    if (!isReached.getAsBoolean()) {
      reach.agenda.after(LATE_NANOS_MAX / 8, () -> known(changes, wasStored));
      return;
    }
    if (isClosed) {
      return;
    }
    if (!isNewest()) {
      fenced();
      return;
    }
    boolean isStored = wasStored || reach.random.nextBoolean();
    if (isStored && !wasStored) {
      commit(changes);
    }
    control.execute(
        () -> {
          stores.inDoubt();
          if (isStored) {
            listener.stored(changes);
          }
          isWaiting = false;
        });
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
