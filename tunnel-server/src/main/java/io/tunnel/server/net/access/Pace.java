package io.tunnel.server.net.access;

import java.util.concurrent.TimeUnit;

/**
 * How one connection is slowed down when its principal, or a table that it uses, takes more than a
 * share: what has been taken is done, and the next of its kind waits. What is written and read, and
 * how often is asked, holds up the next request; what is delivered holds up the next delivery, and
 * neither holds up the other. Belongs to the connection's event loop, but for {@link #used}.
 */
public final class Pace {

  private final Shares shares;
  private final Port port;
  private Caller caller = Caller.anybody();
  private boolean hasEntered;
  private int requestPauses;
  private int deliveryPauses;

  /** The connection. */
  public interface Port {

    /** Runs {@code action} on the event loop, now or later. */
    void execute(Runnable action);

    /** Runs {@code action} on the event loop after that time. */
    void schedule(Runnable action, long delay, TimeUnit unit);

    /** Requests may be served again. */
    void serve();

    /** Deliveries may go on again. */
    void deliver();
  }

  /** Of a connection whose client is not let in yet. */
  public Pace(Shares shares, Port port) {
    this.shares = shares;
    this.port = port;
  }

  /** The client is let in; {@link Shares#enter} says when it is not. */
  public void entered(Caller who) {
    shares.enter(who);
    caller = who;
    hasEntered = true;
  }

  /** The connection is over. */
  public void left() {
    if (hasEntered) {
      hasEntered = false;
      shares.leave(caller);
    }
  }

  /** Whether a request may be served now. */
  public boolean mayServe() {
    return requestPauses == 0;
  }

  /** Whether changes may be delivered now. */
  public boolean mayDeliver() {
    return deliveryPauses == 0;
  }

  /** A request is served. */
  public void requested() {
    pauseRequests(shares.request(caller));
  }

  /** Rows were written or read by a request. May be called by any thread. */
  public void used(Caller who, String table, Shares.Use use, long rows, long bytes) {
    long delayNanos = shares.use(who, table, use, rows, bytes);
    if (delayNanos > 0) {
      port.execute(() -> pauseRequests(delayNanos));
    }
  }

  private void pauseRequests(long delayNanos) {
    if (delayNanos > 0) {
      requestPauses++;
      port.schedule(
          () -> {
            requestPauses--;
            if (requestPauses == 0) {
              port.serve();
            }
          },
          delayNanos,
          TimeUnit.NANOSECONDS);
    }
  }

  /** Changes or rows of a table are delivered. */
  public void delivered(String table, long rows, long bytes) {
    long delayNanos = shares.use(caller, table, Shares.Use.DELIVERED, rows, bytes);
    if (delayNanos > 0) {
      deliveryPauses++;
      port.schedule(
          () -> {
            deliveryPauses--;
            if (deliveryPauses == 0) {
              port.deliver();
            }
          },
          delayNanos,
          TimeUnit.NANOSECONDS);
    }
  }
}
