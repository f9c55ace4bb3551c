package io.tunnel.server.node;

import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreListener;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads a unit whose state is in a store: opens the store when this node is to lead the unit, with
 * retries, and closes the store when another node is. All work runs on the thread that owns the
 * unit, except opening and closing, which block; one thread at a time tells what is wanted.
 *
 * <p>After a store was fenced, this node opens the store again after a pause if it is still to lead
 * the unit: two nodes that are both told to lead fence each other until they hear the same
 * placement.
 */
final class LedStore {

  private static final Logger LOGGER = LoggerFactory.getLogger(LedStore.class);
  private static final long PAUSE_MS = 1_000;

  private final String what;
  private final Opener opener;
  private final ScheduledExecutorService owner;
  private final Executor waiting;
  private final Holder holder;

  /** Moved by the unit's owner, except to {@link State#LEAVING}, which {@link #halt} does. */
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);

  /** Whether a placement gives the unit to this node; holds in every state. */
  private volatile boolean isWanted;

  /** Whether this node leads no stores for now, whatever is wanted; holds in every state. */
  private volatile boolean isSuspended;

  /** Whether the node stops: the store is closed or will be, and no other is opened. */
  private volatile boolean isClosed;

  /** Present from the end of {@link State#OPENING} until the holder has resigned. */
  private volatile Optional<CatalogStore> store = Optional.empty();

  /** Number of the newest opening: a listener of an older opening is ignored. */
  private long attempt;

  private enum State {
    /** No store, and none is being opened. Next: OPENING. */
    IDLE,
    /** A thread opens the store. Next: LEADING, PAUSING, or IDLE when leading is not wanted now. */
    OPENING,
    /** The holder leads with the store. Next: LEAVING; PAUSING when fenced. */
    LEADING,
    /** Told to leave; the holder still has to resign. Next: IDLE; PAUSING when fenced. */
    LEAVING,
    /** Opening or leading failed; waits before it tries again. Next: IDLE. */
    PAUSING;

    boolean hasHolder() {
      return this == LEADING || this == LEAVING;
    }
  }

  /** Opens the store; blocks. */
  @FunctionalInterface
  interface Opener {
    /** Opens a store that calls {@code listener} on the thread of the unit's owner. */
    CatalogStore open(StoreListener listener) throws IOException;
  }

  /** Leads the unit with the store, on the thread of the unit's owner. */
  interface Holder {

    /** Begins to lead; when this throws, nothing has begun. */
    void lead(CatalogStore opened) throws IOException;

    /** A write whose result was unknown is stored now. */
    void stored(Map<String, Optional<String>> changes);

    /** Ceases to lead. */
    void resign();
  }

  /**
   * A unit that this node is not told to lead yet.
   *
   * @param what name of the unit in messages
   * @param owner the thread that owns the unit
   * @param waiting runs work that blocks
   */
  LedStore(
      String what, Opener opener, ScheduledExecutorService owner, Executor waiting, Holder holder) {
    this.what = what;
    this.opener = opener;
    this.owner = owner;
    this.waiting = waiting;
    this.holder = holder;
  }

  /** Whether this node leads the unit now; any thread. */
  boolean isLeading() {
    return state.get() == State.LEADING;
  }

  /** Whether this node is told to lead the unit, and leads it or is about to; any thread. */
  boolean isWanted() {
    return isWanted;
  }

  /** Leads the unit as soon as possible. */
  void lead() {
    isWanted = true;
    onOwner(this::begin);
  }

  /** Leads the unit no longer. */
  void leave() {
    isWanted = false;
    halt();
  }

  /** Leads the unit no longer until {@link #resume}; does nothing when it is suspended already. */
  void suspend() {
    if (!isSuspended) {
      isSuspended = true;
      halt();
    }
  }

  /** {@link #isLeading} is false from now on; the holder resigns soon. */
  private void halt() {
    state.compareAndSet(State.LEADING, State.LEAVING);
    onOwner(this::end);
  }

  /** Leads the unit again if it is told to; does nothing when it is not suspended. */
  void resume() {
    if (isSuspended) {
      isSuspended = false;
      onOwner(this::begin);
    }
  }

  private boolean mayLead() {
    return isWanted && !isSuspended && !isClosed;
  }

  private void begin() {
    if (state.get() == State.IDLE && mayLead()) {
      open();
    }
  }

  private void end() {
    if (state.get().hasHolder()) {
      resign();
      state.set(State.IDLE);
    }
  }

  private void open() {
    state.set(State.OPENING);
    attempt++;
    long own = attempt;
    waiting.execute(
        () -> {
          try {
            CatalogStore opened = opener.open(new OpenedListener(own));
            if (isClosed || !onOwner(() -> opened(opened))) {
              close(opened);
            }
          } catch (IOException | RuntimeException e) {
            warnOfRetry(e);
            onOwner(this::pause);
          }
        });
  }

  /** A store that is fenced or does not answer is usual; any other failure is a fault. */
  private void warnOfRetry(Exception cause) {
    if (cause instanceof IOException) {
      LOGGER.warn(
          "cannot lead {} yet: {}; will retry in {} ms if still told to",
          what,
          cause.getMessage(),
          PAUSE_MS);
    } else {
      LOGGER.warn(
          "cannot lead {} yet; will retry in {} ms if still told to", what, PAUSE_MS, cause);
    }
  }

  /** Whether the owner takes {@code action}; it does not when the node stops. */
  private boolean onOwner(Runnable action) {
    try {
      owner.execute(action);
      return true;
    } catch (RejectedExecutionException e) {
      LOGGER.debug("this node stops and does not lead {}", what, e);
      return false;
    }
  }

  private void opened(CatalogStore opened) {
    store = Optional.of(opened);
    if (!mayLead()) {
      closeStore();
      state.set(State.IDLE);
      return;
    }
    try {
      holder.lead(opened);
    } catch (IOException | RuntimeException e) {
      warnOfRetry(e);
      closeStore();
      pause();
      return;
    }
    LOGGER.info("this node leads {}", what);
    state.set(State.LEADING);
  }

  private void pause() {
    state.set(State.PAUSING);
    owner.schedule(this::pauseOver, PAUSE_MS, TimeUnit.MILLISECONDS);
  }

  private void pauseOver() {
    state.set(State.IDLE);
    begin();
  }

  private void resign() {
    state.compareAndSet(State.LEADING, State.LEAVING);
    LOGGER.info("this node does not lead {} any more", what);
    holder.resign();
    closeStore();
  }

  private void closeStore() {
    CatalogStore closed = store.orElseThrow();
    store = Optional.empty();
    try {
      waiting.execute(() -> close(closed));
    } catch (RejectedExecutionException e) {
      LOGGER.debug("this node stops; the owner of {} closes the store itself", what, e);
      close(closed);
    }
  }

  private void close(CatalogStore closed) {
    try {
      closed.close();
    } catch (IOException e) {
      LOGGER.warn(
          "cannot close the store of {} cleanly: {}; another leader fences the store",
          what,
          e.getMessage());
    }
  }

  /** Hears one opened store. */
  private final class OpenedListener implements StoreListener {
    private final long own;

    OpenedListener(long own) {
      this.own = own;
    }

    @Override
    public void stored(Map<String, Optional<String>> changes) {
      if (own == attempt && state.get().hasHolder()) {
        holder.stored(changes);
      }
    }

    @Override
    public void fenced(FencedStoreException reason) {
      if (own == attempt && state.get().hasHolder()) {
        LOGGER.warn(
            "the store of {} was fenced: {}; will retry in {} ms if still told to lead",
            what,
            reason.getMessage(),
            PAUSE_MS);
        resign();
        pause();
      }
    }
  }

  /** Closes the store for good, even while it is being opened; any thread. */
  void close() throws IOException {
    isClosed = true;
    Optional<CatalogStore> opened = store;
    if (opened.isPresent()) {
      opened.get().close();
    }
  }
}
