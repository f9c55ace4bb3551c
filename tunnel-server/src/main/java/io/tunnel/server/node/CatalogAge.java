package io.tunnel.server.node;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * How old a node's catalog may be. A node that is cut off from the log goes on with what it has
 * read, and hears of no key, token or right that is taken away meanwhile. So it asks for the end of
 * the catalog's log again and again, and after a silence of a session's length it decides by the
 * catalog's keys and rights no more.
 *
 * <p>{@link #look} belongs to the control thread; the rest is for any thread.
 */
final class CatalogAge {

  private final Consumer<Runnable> catchUp;
  private final LongSupplier nanos;
  private final long maxMs;

  /** Everything that was stored before this moment has been read. */
  private volatile long asOfNanos;

  /** Whether an answer is awaited: no second one is asked for, so that a cut piles up nothing. */
  private volatile boolean isAsked;

  /**
   * Of a catalog that was read just now.
   *
   * @param catchUp runs an action when all that is stored by now was read
   * @param maxMs the age from which on nothing is decided any more
   */
  CatalogAge(Consumer<Runnable> catchUp, LongSupplier nanos, long maxMs) {
    this.catchUp = catchUp;
    this.nanos = nanos;
    this.maxMs = maxMs;
    this.asOfNanos = nanos.getAsLong();
  }

  /** Asks, unless an answer is awaited; to be called a few times a second. */
  void look() {
    if (!isAsked) {
      isAsked = true;
      long askedNanos = nanos.getAsLong();
      catchUp.accept(
          () -> {
            asOfNanos = askedNanos;
            isAsked = false;
          });
    }
  }

  /**
   * Refuses to decide by a catalog that is too old.
   *
   * @throws RefusedException LOG_UNAVAILABLE: another node may know more
   */
  void require() {
    long ageMs = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - asOfNanos);
    if (ageMs >= maxMs) {
      throw new RefusedException(
          ErrorCode.LOG_UNAVAILABLE,
          "this node has read nothing of the catalog for "
              + ageMs
              + " ms, and cannot tell which keys and rights were taken away since; ask another node,"
              + " or try again later");
    }
  }
}
