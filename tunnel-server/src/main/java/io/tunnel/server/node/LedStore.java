package io.tunnel.server.node;

import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreListener;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads a unit whose state is in a store: opens the store when this node is to lead the unit, with
 * retries, and closes the store when another node is. All work runs on the thread that owns the
 * unit, except opening and closing, which block; one thread at a time tells what is wanted.
 *
 * <p>After a store was fenced, this node opens the store again after a pause if it is still to lead
 * the unit: two nodes with different placements fence each other until both know the newest
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

  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);

  /** Present from the end of opening until the holder has resigned. */
  private volatile Optional<CatalogStore> store = Optional.empty();

  /** Number of the newest opening: a listener of an older opening is ignored. */
  private long attempt;

  /** Where the store is, and whether this node is assigned to lead the unit. */
  private enum State {
    /** Not assigned to lead, and no store. */
    IDLE,
    /** Told to lead; the owner opens the store next. */
    DUE,
    /** A thread opens the store. */
    OPENING,
    /** Told to leave while a thread opens the store: it is closed when it is open. */
    DROPPING,
    /** The holder leads with the store. */
    LEADING,
    /** Told to leave; the holder still has to resign. */
    LEAVING,
    /** Told to leave and to lead again; the holder still has to resign. */
    RETURNING,
    /** Opening or leading failed; waits before it tries again. */
    PAUSING,
    /** Told to leave during a pause. */
    RESTING,
    /** The node stops: the store is closed or will be, and no other is opened. */
    CLOSED;

    boolean hasHolder() {
      return this == LEADING || this == LEAVING || this == RETURNING;
    }
  }

  /** Why the state moves; a reason that does not apply to a state leaves the state as it is. */
  private enum Reason {
    /** Told to lead; by the thread that tells what is wanted. */
    LEAD(
        Map.of(
            State.IDLE, State.DUE,
            State.DROPPING, State.OPENING,
            State.LEAVING, State.RETURNING,
            State.RESTING, State.PAUSING)),
    /** Told to leave; by the thread that tells what is wanted. */
    LEAVE(
        Map.of(
            State.DUE, State.IDLE,
            State.OPENING, State.DROPPING,
            State.LEADING, State.LEAVING,
            State.RETURNING, State.LEAVING,
            State.PAUSING, State.RESTING)),
    /** The owner begins to open the store. */
    OPEN(Map.of(State.DUE, State.OPENING)),
    /** The store is open, and not wanted any more. */
    DROP(Map.of(State.DROPPING, State.IDLE)),
    /** The holder has begun to lead. */
    HOLD(Map.of(State.OPENING, State.LEADING, State.DROPPING, State.LEAVING)),
    /** The store could not be opened, or the holder not lead, or the store was fenced. */
    FAIL(
        Map.of(
            State.OPENING, State.PAUSING,
            State.DROPPING, State.RESTING,
            State.LEADING, State.PAUSING,
            State.LEAVING, State.RESTING,
            State.RETURNING, State.PAUSING)),
    /** The holder resigns. */
    RESIGN(Map.of(State.LEAVING, State.IDLE, State.RETURNING, State.DUE)),
    /** The pause after a failure is over. */
    WAKE(Map.of(State.PAUSING, State.DUE, State.RESTING, State.IDLE)),
    /** The node stops; by any thread. */
    CLOSE(
        EnumSet.allOf(State.class).stream()
            .collect(Collectors.toMap(from -> from, from -> State.CLOSED)));

    @SuppressWarnings("ImmutableEnumChecker") // A copy, which no code can change.
    private final Map<State, State> moves;

    Reason(Map<State, State> moves) {
      this.moves = Map.copyOf(moves);
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
   * A unit that this node is not assigned to lead yet.
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

  /** Leads the unit as soon as possible. */
  void lead() {
    move(Reason.LEAD);
    onOwner(this::begin);
  }

  /** Leads the unit no longer: {@link #isLeading} is false from now on; the holder resigns soon. */
  void leave() {
    move(Reason.LEAVE);
    onOwner(this::end);
  }

  /** Moves the state in one step; returns false when the reason does not apply to the state. */
  private boolean move(Reason reason) {
    State before = state.getAndUpdate(from -> reason.moves.getOrDefault(from, from));
    return reason.moves.containsKey(before);
  }

  private void begin() {
    if (move(Reason.OPEN)) {
      open();
    }
  }

  private void end() {
    if (move(Reason.RESIGN)) {
      resign();
    }
  }

  private void open() {
    attempt++;
    long own = attempt;
    waiting.execute(
        () -> {
          try {
            CatalogStore opened = opener.open(new OpenedListener(own));
            if (isClosed() || !onOwner(() -> opened(opened))) {
              close(opened);
            }
          } catch (IOException | RuntimeException e) {
            warnOfRetry(e);
            onOwner(this::failed);
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

  private boolean isClosed() {
    return state.get() == State.CLOSED;
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
    if (move(Reason.DROP) || isClosed()) {
      closeStore();
      return;
    }
    try {
      holder.lead(opened);
    } catch (IOException | RuntimeException e) {
      warnOfRetry(e);
      closeStore();
      failed();
      return;
    }
    LOGGER.info("this node leads {}", what);
    move(Reason.HOLD);
  }

  private void failed() {
    move(Reason.FAIL);
    owner.schedule(this::pauseOver, PAUSE_MS, TimeUnit.MILLISECONDS);
  }

  private void pauseOver() {
    move(Reason.WAKE);
    begin();
  }

  private void resign() {
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
        move(Reason.FAIL);
        resign();
        failed();
      }
    }
  }

  /** Closes the store for good, even while it is being opened; any thread. */
  void close() throws IOException {
    move(Reason.CLOSE);
    Optional<CatalogStore> opened = store;
    if (opened.isPresent()) {
      opened.get().close();
    }
  }
}
