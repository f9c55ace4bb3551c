package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.net.access.Budget;
import io.tunnel.wire.Frame;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The unanswered requests of one connection. Requests that are not served yet wait here, in their
 * order; while any wait, the connection is not read from, so only the requests of one read can
 * wait. Behind the first of them, they count for the memory of all waiting requests, and are
 * refused when there is none left.
 *
 * <p>A connection without a request being served gets its next small request served even when the
 * budget is used up, so every connection makes progress; waiting requests are tried again whenever
 * one of the connection's own is answered. A request with a large answer waits for room for the
 * answer. While a request is undecided ({@link LongRequests}), no later one begins. Belongs to the
 * event loop, except {@link #answered}, {@link #forgetPayload} and {@link #decided}.
 */
final class OpenRequests {

  /** Memory of a request beside its payload. */
  static final int OVERHEAD_BYTES = 512;

  /** Larger requests do not wait: they are refused when the budget is used up. */
  static final int SMALL_BYTES_MAX = 64 * 1024;

  private final Budget<?> requests;
  private final Budget<?> queued;
  private final Untaken.Account account;
  private final int requestsMax;
  private final Port port;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final AtomicInteger served = new AtomicInteger();

  /** Set on the event loop, read by any thread. */
  private volatile boolean hasWaiting;

  private boolean isServing;

  /** Bytes of requests that were parsed since the event loop has served other connections. */
  private int parsedBytes;

  /** Whether the request that began last is undecided. */
  private boolean isHeld;

  /** What comes behind the decision, when the connection is closed. */
  private Optional<Runnable> end = Optional.empty();

  /**
   * A request that is not served yet.
   *
   * @param isCounted whether the request counts as a served request
   * @param isQueued whether the request counts as a waiting request
   */
  private record Waiting(Frame request, boolean isCounted, boolean isQueued) {}

  /** The connection. */
  interface Port {

    /** Whether requests may begin now; false while the client does not read its answers. */
    boolean mayServe();

    /**
     * Whether this request may begin now.
     *
     * @param isAlone whether no other request of the connection is being served
     * @throws RefusedException when the request has waited for too long
     */
    boolean mayServe(Frame request, boolean isAlone);

    /** Begins a request, which ends with {@link OpenRequests#answered}. */
    void serve(Frame request);

    /** Refuses a request that was not begun. */
    void refuse(Frame request, RefusedException reason);

    /** Starts or stops reading from the connection. */
    void read(boolean isReading);

    /** Runs {@code action} on the event loop. */
    void execute(Runnable action);
  }

  /**
   * None yet.
   *
   * @param requests memory of all unanswered requests
   * @param queued memory of requests that wait after the first one of their connections
   * @param requestsMax requests of this connection that are served at the same time
   */
  OpenRequests(
      Budget<?> requests, Budget<?> queued, Untaken.Account account, int requestsMax, Port port) {
    this.requests = requests;
    this.queued = queued;
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

  /** Takes a request. */
  void take(Frame request) {
    boolean isCounted = !isSmall(request);
    boolean isBehind = !waiting.isEmpty() && !isCounted;
    if ((isCounted && !requests.tryTake(cost(request)))
        || (isBehind && !queued.tryTake(cost(request)))) {
      port.refuse(request, busy());
      return;
    }
    waiting.add(new Waiting(request, isCounted, isBehind));
    serveWaiting();
  }

  private RefusedException busy() {
    return new RefusedException(
        ErrorCode.BUSY,
        "requests that are not answered take net.limits.requestBytesMax = "
            + requests.max()
            + " bytes; try again later");
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
      try {
        if (!mayServe(waiting.peek())) {
          hasWaiting = true;
          port.read(false);
          // Checked again: a request may have been answered before {@code hasWaiting} was set.
          if (!mayServe(waiting.peek())) {
            return;
          }
        }
      } catch (RefusedException e) {
        port.refuse(drop(), e);
        continue;
      }
      served.incrementAndGet();
      port.serve(leave().request());
    }
    hasWaiting = false;
    port.read(port.mayServe());
  }

  /** Takes the first waiting request away. */
  private Frame drop() {
    Waiting dropped = leave();
    if (dropped.isCounted()) {
      requests.give(cost(dropped.request()));
    }
    return dropped.request();
  }

  private boolean mayServe(Waiting next) {
    int servedNow = served.get();
    if (isHeld
        || servedNow >= requestsMax
        || !port.mayServe()
        || !port.mayServe(next.request(), servedNow == 0)) {
      return false;
    }
    if (!next.isCounted()) {
      if (!requests.tryTake(cost(next.request()), servedNow == 0)) {
        return false;
      }
      waiting.addFirst(new Waiting(leave().request(), true, false));
    }
    return Untaken.AnswerKind.of(next.request().operation()).map(account::promise).orElse(true);
  }

  /** Takes the first waiting request out of the queue. */
  private Waiting leave() {
    Waiting first = waiting.remove();
    if (first.isQueued()) {
      queued.give(cost(first.request()));
    }
    return first;
  }

  /** A request was answered. For any thread. */
  void answered(Frame request) {
    requests.give(cost(request));
    Untaken.AnswerKind.of(request.operation()).ifPresent(account::giveBack);
    served.decrementAndGet();
    if (hasWaiting) {
      port.execute(this::serveWaiting);
    }
  }

  /**
   * The payload of a request that is being served is not needed any more; the request ends with
   * {@link #answered} of one without a payload. For any thread.
   */
  void forgetPayload(Frame request) {
    requests.give(request.payload().length);
  }

  /** Whether no request waits or is being served. */
  boolean areNone() {
    return waiting.isEmpty() && served.get() == 0;
  }

  /**
   * Notes that the event loop is about to parse {@code bytes}.
   *
   * @return all bytes of this connection since the loop has served the others
   */
  int parsing(int bytes) {
    if (parsedBytes == 0) {
      port.execute(() -> parsedBytes = 0);
    }
    parsedBytes += bytes;
    return parsedBytes;
  }

  /** The request that is being served takes long to decide; no other begins before. */
  void hold() {
    isHeld = true;
  }

  /** The request is decided. For any thread; the event loop first does what it was asked before. */
  void decided() {
    port.execute(
        () -> {
          isHeld = false;
          end.ifPresentOrElse(Runnable::run, this::serveWaiting);
        });
  }

  /**
   * Drops the waiting requests of a closed connection.
   *
   * @param whenDecided runs when no request is undecided
   */
  void close(Runnable whenDecided) {
    while (!waiting.isEmpty()) {
      drop();
    }
    if (isHeld) {
      end = Optional.of(whenDecided);
    } else {
      whenDecided.run();
    }
  }
}
