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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A unit whose state is in a store: opens the store when the unit is to be led, as often as that
 * takes, and closes it when it is not. Everything happens on the thread that owns the unit, but for
 * opening and closing, which take their time; what is wanted may be said by any one thread.
 *
 * <p>A store that was fenced is opened again after a pause if the unit is still to be led: of two
 * nodes that believe so, each fences the other until placements have reached both.
 */
final class LedStore {

  private static final Logger LOGGER = LoggerFactory.getLogger(LedStore.class);
  private static final long PAUSE_MS = 1_000;

  private final String what;
  private final Opener opener;
  private final ScheduledExecutorService owner;
  private final Executor waiting;
  private final Holder holder;
  private State state = State.IDLE;
  private volatile boolean isWanted;
  private volatile boolean isSuspended;
  private volatile Optional<CatalogStore> store = Optional.empty();
  private volatile boolean isClosed;

  /**
   * Told apart from one opening to the next, so that a store's late word is not taken for
   * another's.
   */
  private long attempt;

  private volatile boolean isLeading;

  private enum State {
    IDLE,
    OPENING,
    LEADING,
    PAUSING
  }

  /** Opens the store; waits for it. */
  @FunctionalInterface
  interface Opener {
    /** The store, which tells {@code listener} on the thread of the unit's owner. */
    CatalogStore open(StoreListener listener) throws IOException;
  }

  /** The part that leads with the store, on the thread of the unit's owner. */
  interface Holder {

    /** Begins; when it throws, nothing has begun. */
    void lead(CatalogStore opened) throws IOException;

    /** A write that had failed is stored now. */
    void stored(Map<String, Optional<String>> changes);

    /** Ends. */
    void resign();
  }

  /**
   * A unit that nobody wants this node to lead yet.
   *
   * @param what the unit, for people
   * @param owner the thread that the unit belongs to
   * @param waiting for what waits
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
    return isLeading;
  }

  /** Whether it leads the unit or is about to; any thread. */
  boolean isWanted() {
    return isWanted;
  }

  /** Leads the unit as soon as possible. */
  void lead() {
    isWanted = true;
    onOwner(this::begin);
  }

  /** Leads it no longer. */
  void leave() {
    isWanted = false;
    isLeading = false;
    onOwner(this::end);
  }

  /**
   * Leads it no longer, and is still to: as soon as it may {@link #resume}. Nothing happens when it
   * is suspended already.
   */
  void suspend() {
    if (!isSuspended) {
      isSuspended = true;
      isLeading = false;
      onOwner(this::end);
    }
  }

  /** Leads it again if it is to. Nothing happens when it is not suspended. */
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
    if (state == State.IDLE && mayLead()) {
      open();
    }
  }

  private void end() {
    if (state == State.LEADING) {
      resign();
      state = State.IDLE;
    }
  }

  private void open() {
    state = State.OPENING;
    attempt++;
    long own = attempt;
    waiting.execute(
        () -> {
          try {
            CatalogStore opened = opener.open(new Word(own));
            if (isClosed || !onOwner(() -> opened(opened))) {
              close(opened);
            }
          } catch (IOException | RuntimeException e) {
            LOGGER.warn("cannot lead {} yet", what, e);
            onOwner(this::pause);
          }
        });
  }

  /** Whether it will be done. */
  private boolean onOwner(Runnable action) {
    try {
      owner.execute(action);
      return true;
    } catch (RejectedExecutionException e) {
      LOGGER.debug("the node stops; {} is not led", what, e);
      return false;
    }
  }

  private void opened(CatalogStore opened) {
    store = Optional.of(opened);
    if (!mayLead()) {
      closeStore();
      state = State.IDLE;
      return;
    }
    try {
      holder.lead(opened);
    } catch (IOException | RuntimeException e) {
      LOGGER.warn("cannot lead {} yet", what, e);
      closeStore();
      pause();
      return;
    }
    LOGGER.info("this node leads {}", what);
    state = State.LEADING;
    isLeading = true;
  }

  private void pause() {
    state = State.PAUSING;
    owner.schedule(this::pauseOver, PAUSE_MS, TimeUnit.MILLISECONDS);
  }

  private void pauseOver() {
    state = State.IDLE;
    begin();
  }

  private void resign() {
    LOGGER.info("this node does not lead {} any more", what);
    isLeading = false;
    holder.resign();
    closeStore();
  }

  private void closeStore() {
    CatalogStore closed = store.orElseThrow();
    store = Optional.empty();
    try {
      waiting.execute(() -> close(closed));
    } catch (RejectedExecutionException e) {
      LOGGER.debug("the node stops, and nobody waits for {} but its owner", what, e);
      close(closed);
    }
  }

  private void close(CatalogStore closed) {
    try {
      closed.close();
    } catch (IOException e) {
      LOGGER.warn("the store of {} did not close cleanly", what, e);
    }
  }

  /** What one opened store has to say. */
  private final class Word implements StoreListener {
    private final long own;

    Word(long own) {
      this.own = own;
    }

    @Override
    public void stored(Map<String, Optional<String>> changes) {
      if (own == attempt && state == State.LEADING) {
        holder.stored(changes);
      }
    }

    @Override
    public void fenced(FencedStoreException reason) {
      if (own == attempt && state == State.LEADING) {
        LOGGER.warn(
            "{} is opened anew if this node is still to lead it: {}", what, reason.getMessage());
        resign();
        pause();
      }
    }
  }

  /** Closes the store for good, also one that is being opened; any thread. */
  void close() throws IOException {
    isClosed = true;
    Optional<CatalogStore> opened = store;
    if (opened.isPresent()) {
      opened.get().close();
    }
  }
}
