package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Frame;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The requests of one connection that are not answered. Those that are not served yet wait here, in
 * the order in which they came; as long as any do, nothing more is read from the connection, so
 * that what waits is what came with one read.
 *
 * <p>A connection that is served nothing is served its next small request even when all others
 * together have taken the budget: so each goes on, and one that waits is looked at again when one
 * of its own requests is answered. One with a large answer waits for room for that. Belongs to the
 * event loop, except {@link #answered}.
 */
final class OpenRequests {

  /** What a request takes beside its payload. */
  static final int OVERHEAD_BYTES = 512;

  /** Requests that cost more do not wait: they are refused when the budget is taken. */
  static final int SMALL_BYTES_MAX = 64 * 1024;

  private final Budget budget;
  private final Untaken.Account account;
  private final int requestsMax;
  private final Port port;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final AtomicInteger served = new AtomicInteger();

  /** Set on the event loop, read by those who answer. */
  private volatile boolean hasWaiting;

  private boolean isServing;

  private record Waiting(Frame request, boolean isCounted) {}

  /** The connection. */
  interface Port {

    /** Whether requests are begun now: not while the client does not take its answers. */
    boolean mayServe();

    /** Begins a request, which ends by {@link OpenRequests#answered}. */
    void serve(Frame request);

    /** Refuses a request that was not begun. */
    void refuseAsBusy(Frame request);

    /** Reads from the connection, or does not. */
    void read(boolean isReading);

    /** Runs {@code action} on the event loop. */
    void execute(Runnable action);
  }

  OpenRequests(Budget budget, Untaken.Account account, int requestsMax, Port port) {
    this.budget = budget;
    this.account = account;
    this.requestsMax = requestsMax;
    this.port = port;
  }

  private static long cost(Frame request) {
    return (long) OVERHEAD_BYTES + request.payload().length;
  }

  private static boolean isSmall(Frame request) {
    return cost(request) <= SMALL_BYTES_MAX;
  }

  /** A request came. */
  void take(Frame request) {
    boolean isCounted = !isSmall(request);
    if (isCounted && !budget.tryTake(cost(request))) {
      port.refuseAsBusy(request);
      return;
    }
    waiting.add(new Waiting(request, isCounted));
    serveWaiting();
  }

  /** Serves waiting requests as long as the limits allow. */
  void serveWaiting() {
    if (isServing) {
      // Serving a request that is answered at once calls this method again.
      return;
    }
    isServing = true;
    try {
      serveAll();
    } finally {
      isServing = false;
    }
  }

  private void serveAll() {
    while (!waiting.isEmpty()) {
      if (!mayServe(waiting.peek())) {
        hasWaiting = true;
        port.read(false);
        // Answered before it could be seen that somebody waits for that.
        if (!mayServe(waiting.peek())) {
          return;
        }
      }
      served.incrementAndGet();
      port.serve(waiting.poll().request());
    }
    hasWaiting = false;
    port.read(port.mayServe());
  }

  private boolean mayServe(Waiting next) {
    int servedNow = served.get();
    if (servedNow >= requestsMax || !port.mayServe()) {
      return false;
    }
    long cost = cost(next.request());
    if (!next.isCounted() && !budget.tryTake(cost)) {
      if (servedNow > 0) {
        return false;
      }
      budget.take(cost);
    }
    if (!next.isCounted()) {
      waiting.poll();
      waiting.addFirst(new Waiting(next.request(), true));
    }
    return Untaken.Answer.of(next.request().operation()).map(account::promise).orElse(true);
  }

  /** A request was answered. May be called by any thread. */
  void answered(Frame request) {
    budget.give(cost(request));
    Untaken.Answer.of(request.operation()).ifPresent(account::giveBack);
    served.decrementAndGet();
    if (hasWaiting) {
      port.execute(this::serveWaiting);
    }
  }

  /** Whether none waits, and none is served. */
  boolean areNone() {
    return waiting.isEmpty() && served.get() == 0;
  }

  /** The connection is gone: what waits is dropped. */
  void close() {
    for (Waiting dropped = waiting.poll(); dropped != null; dropped = waiting.poll()) {
      if (dropped.isCounted()) {
        budget.give(cost(dropped.request()));
      }
    }
  }

  /** The memory of all requests that are not answered, of all connections. For any thread. */
  static final class Budget {

    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();

    Budget(long bytesMax) {
      this.bytesMax = bytesMax;
    }

    /** Takes as much if it is there. */
    boolean tryTake(long cost) {
      if (bytes.addAndGet(cost) > bytesMax) {
        bytes.addAndGet(-cost);
        return false;
      }
      return true;
    }

    /** Takes as much even if it is not there. */
    void take(long cost) {
      bytes.addAndGet(cost);
    }

    /** Gives back what was taken. */
    void give(long cost) {
      bytes.addAndGet(-cost);
    }

    /** Why a request that costs more than is left is refused. */
    RefusedException busy() {
      return new RefusedException(
          ErrorCode.BUSY,
          "requests that are not answered take net.limits.requestBytesMax = "
              + bytesMax
              + " bytes; try again later");
    }

    /** How much is taken. */
    long bytes() {
      return bytes.get();
    }
  }
}
