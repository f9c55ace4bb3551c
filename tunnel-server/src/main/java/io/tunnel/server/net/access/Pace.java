package io.tunnel.server.net.access;

import io.tunnel.wire.RowPage;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Throttles one connection when its principal, or a table that it uses, exceeds a quota: work that
 * has begun is finished, and the next work of its kind waits. Rows written and read, and the number
 * of requests, delay the next request; deliveries delay the next delivery; neither delays the
 * other. A new connection waits for its principal's existing debt, and a request that reads or
 * writes rows for the principal's debt of reads or writes: neither connecting again nor many
 * connections bring an advantage. Heartbeats, checkpoints and other requests wait for the debt of
 * their own connection alone, so a greedy reader does not end the sessions of its principal's
 * workers. Belongs to the connection's event loop, but for {@link #used} and {@link #read}.
 */
public final class Pace {

  private final Shares shares;
  private final Port port;
  private Caller caller = Caller.anybody();
  private final Pauses requestPauses;
  private final Pauses deliveryPauses;
  private boolean hasEntered;
  private boolean hasLeft;

  /** The connection. */
  public interface Port {

    /** Runs {@code action} on the event loop, now or later. */
    void execute(Runnable action);

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

  /** Whether a request that writes rows may be served now. */
  public boolean mayWrite() {
    return isPaid(shares.owedBeforeWrites(caller));
  }

  /** Whether a request that reads rows of {@code table} may be served now. */
  public boolean mayRead(String table) {
    return isPaid(shares.owedBeforeReads(caller, table));
  }

  private boolean isPaid(long owedNanos) {
    requestPauses.begin(owedNanos);
    return owedNanos == 0;
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
    long delayNanos = shares.use(who, table, use, rows, bytes);
    if (delayNanos > 0) {
      port.execute(() -> requestPauses.begin(delayNanos));
    }
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
