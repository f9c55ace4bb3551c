package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Frame;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

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

  private final Budget budget;
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

  /** Takes a request. */
  void take(Frame request) {
    boolean isCounted = !isSmall(request);
    if (isCounted && !budget.tryTake(cost(request))) {
      port.refuse(request, budget.busy());
      return;
    }
    boolean isBehind = !waiting.isEmpty() && !isCounted;
    if (isBehind && !budget.tryQueue(cost(request))) {
      port.refuse(request, budget.busy());
      return;
    }
    waiting.add(new Waiting(request, isCounted, isBehind));
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
      budget.give(cost(dropped.request()));
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
    long cost = cost(next.request());
    if (!next.isCounted() && !budget.tryTake(cost)) {
      if (servedNow > 0) {
        return false;
      }
      budget.take(cost);
    }
    if (!next.isCounted()) {
      waiting.addFirst(new Waiting(leave().request(), true, false));
    }
    return Untaken.Answer.of(next.request().operation()).map(account::promise).orElse(true);
  }

  /** Takes the first waiting request out of the queue. */
  private Waiting leave() {
    Waiting first = waiting.remove();
    if (first.isQueued()) {
      budget.leaveQueue(cost(first.request()));
    }
    return first;
  }

  /** A request was answered. For any thread. */
  void answered(Frame request) {
    budget.give(cost(request));
    Untaken.Answer.of(request.operation()).ifPresent(account::giveBack);
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
    budget.give(request.payload().length);
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

  /** The memory of unanswered requests of all connections. For any thread. */
  static final class Budget {

    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();

    /** Memory of requests behind the first waiting one of their connections. */
    private final AtomicLong queuedBytes = new AtomicLong();

    Budget(long bytesMax) {
      this.bytesMax = bytesMax;
    }

    /** Takes {@code cost} for a request that waits, if half of the budget allows it. */
    boolean tryQueue(long cost) {
      if (queuedBytes.addAndGet(cost) > bytesMax / 2) {
        queuedBytes.addAndGet(-cost);
        return false;
      }
      return true;
    }

    /** Gives the {@code cost} of a request back that waits no more. */
    void leaveQueue(long cost) {
      queuedBytes.addAndGet(-cost);
    }

    /** The bytes of requests that wait. */
    long queuedBytes() {
      return queuedBytes.get();
    }

    /** Takes {@code cost} if the budget allows it. */
    boolean tryTake(long cost) {
      if (bytes.addAndGet(cost) > bytesMax) {
        bytes.addAndGet(-cost);
        return false;
      }
      return true;
    }

    /** Takes {@code cost} even beyond the budget. */
    void take(long cost) {
      bytes.addAndGet(cost);
    }

    /** Gives {@code cost} back. */
    void give(long cost) {
      bytes.addAndGet(-cost);
    }

    /** The refusal of a request beyond the budget. */
    RefusedException busy() {
      return new RefusedException(
          ErrorCode.BUSY,
          "requests that are not answered take net.limits.requestBytesMax = "
              + bytesMax
              + " bytes; try again later");
    }

    /** The used bytes. */
    long bytes() {
      return bytes.get();
    }
  }
}
