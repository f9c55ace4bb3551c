package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.RowPage;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Throttles one connection when its principal, or a table that it uses, exceeds a quota: work that
 * has begun is finished, and the next work of its kind waits. The number of requests delays the
 * next request; deliveries delay the next delivery; rows that were written or read, on whichever
 * connection, delay the next request that writes or reads rows. Such a request waits for {@link
 * #WAIT_NANOS_MAX} at most, and is then refused: a connection that is silent for longer looks dead
 * to its client. A new connection waits for its principal's existing debt, so neither connecting
 * again nor many connections bring an advantage. Heartbeats and checkpoints wait for no rows, so a
 * greedy reader does not end the sessions of its principal's workers. Belongs to the connection's
 * event loop, but for {@link #used} and {@link #read}.
 */
public final class Pace {

  /** How long a request waits for a debt of rows; well below the silence that clients accept. */
  static final long WAIT_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

  private final Shares shares;
  private final Port port;
  private Caller caller = Caller.anybody();
  private final Pauses requestPauses;
  private final Pauses deliveryPauses;

  /** The request that waits for a debt of rows, and for how long in all. */
  private Optional<Object> waiting = Optional.empty();

  private long waitingNanos;
  private boolean hasEntered;
  private boolean hasLeft;

  /** The connection. */
  public interface Port {

    /**
     * Runs {@code action} on the event loop after {@code delay}, unless the returned future is
     * cancelled before.
     */
    Future<?> schedule(Runnable action, long delay, TimeUnit unit);

    /** Requests may be served again. */
    void serve();

    /** Deliveries may continue. */
    void deliver();
  }

  /** The pace of a connection before authentication. */
  public Pace(Shares shares, Port port) {
    this.shares = shares;
    this.port = port;
    this.requestPauses = new Pauses(port::serve);
    this.deliveryPauses = new Pauses(port::deliver);
  }

  /** The client is let in; {@link Shares#enter} refuses a connection above the quota. */
  public void entered(Caller who) {
    shares.enter(who);
    caller = who;
    hasEntered = true;
    requestPauses.begin(shares.owedBeforeRequests(who));
    deliveryPauses.begin(shares.owedBeforeDeliveries(who));
  }

  /** The connection is over. */
  public void left() {
    hasLeft = true;
    requestPauses.cancel();
    deliveryPauses.cancel();
    if (hasEntered) {
      hasEntered = false;
      shares.leave(caller);
    }
  }

  /** Whether a request may be served now. */
  public boolean mayServe() {
    return requestPauses.areNone();
  }

  /**
   * Whether a request for rows of {@code table} may be served now.
   *
   * @throws RefusedException BUSY when the request has waited for long enough
   */
  public boolean mayUse(Object request, String table, Shares.Use use) {
    long owedNanos = shares.owedBefore(caller, table, use);
    if (owedNanos == 0) {
      waiting = Optional.empty();
      return true;
    }
    if (waiting.isEmpty() || waiting.get() != request) {
      waiting = Optional.of(request);
      waitingNanos = 0;
    }
    if (waitingNanos >= WAIT_NANOS_MAX) {
      waiting = Optional.empty();
      throw usedUp(table, use, owedNanos);
    }
    long pauseNanos = Math.min(owedNanos, WAIT_NANOS_MAX - waitingNanos);
    waitingNanos += pauseNanos;
    requestPauses.begin(pauseNanos);
    return false;
  }

  /**
   * Refuses a request that reads rows of {@code table} besides what it is for.
   *
   * @throws RefusedException BUSY while reads are owed for
   */
  public void requireReads(String table) {
    long owedNanos = shares.owedBefore(caller, table, Shares.Use.READ);
    if (owedNanos > 0) {
      throw usedUp(table, Shares.Use.READ, owedNanos);
    }
  }

  private RefusedException usedUp(String table, Shares.Use use, long owedNanos) {
    return new RefusedException(
        ErrorCode.BUSY,
        "what '"
            + caller.name()
            + "', or all users of table '"
            + table
            + "', may take by their quotas of rows and bytes "
            + use.name().toLowerCase(Locale.ROOT)
            + " is used up for "
            + Math.max(1, TimeUnit.NANOSECONDS.toSeconds(owedNanos))
            + " s; try again then, or have the quota raised");
  }

  /**
   * Whether a read of {@code table} is charged before the connection's next one begins. What a read
   * costs is known at its end, so reads at the same time would all begin without a debt.
   */
  public boolean readsOneByOne(String table) {
    return shares.limitsReads(caller, table);
  }

  /** Whether changes may be delivered now. */
  public boolean mayDeliver() {
    return deliveryPauses.areNone();
  }

  /** A request is served. */
  public void requested() {
    requestPauses.begin(shares.request(caller));
  }

  /** Rows were written by a request, or read. May be called by any thread. */
  public void used(Caller who, String table, Shares.Use use, long rows, long bytes) {
    var unused = shares.use(who, table, use, rows, bytes);
  }

  /**
   * An answer has rows of a table. What was looked at counts, whether or not it is in the answer:
   * otherwise a condition would read a table for the price of one row. May be called by any thread.
   */
  public void read(Caller who, String table, RowPage.Looked looked, int answerBytes) {
    used(who, table, Shares.Use.READ, looked.rows(), Math.max(looked.bytes(), answerBytes));
  }

  /** Changes or rows of a table are delivered. */
  public void delivered(String table, long rows, long bytes) {
    deliveryPauses.begin(shares.use(caller, table, Shares.Use.DELIVERED, rows, bytes));
  }

  /** The running pauses of one kind. */
  private final class Pauses {
    private final Runnable goOn;
    private final Map<Object, Future<?>> timers = new HashMap<>();

    /**
     * None yet.
     *
     * @param goOn runs when all pauses are over
     */
    Pauses(Runnable goOn) {
      this.goOn = goOn;
    }

    boolean areNone() {
      return timers.isEmpty();
    }

    void begin(long delayNanos) {
      if (delayNanos > 0 && !hasLeft) {
        Object pause = new Object();
        timers.put(pause, port.schedule(() -> end(pause), delayNanos, TimeUnit.NANOSECONDS));
      }
    }

    private void end(Object pause) {
      timers.remove(pause);
      if (timers.isEmpty()) {
        goOn.run();
      }
    }

    /** Cancels the timers, which would keep a closed connection in memory. */
    void cancel() {
      timers.values().forEach(timer -> timer.cancel(false));
      timers.clear();
    }
  }
}
