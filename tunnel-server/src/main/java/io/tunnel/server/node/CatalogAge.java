package io.tunnel.server.node;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Limits the age of a node's catalog. A node that is cut off from the log keeps its last catalog,
 * and misses each key, token or right that is revoked in the meantime. So the node keeps asking for
 * the end of the catalog's log, and after a silence as long as a session it refuses to decide by
 * the catalog's keys and rights.
 *
 * <p>The control thread calls {@link #look}; any thread may call {@link #require}.
 */
final class CatalogAge {

  private final Consumer<Runnable> catchUp;
  private final LongSupplier nanos;
  private final long maxMs;

  /** The node has read all writes before this time. */
  private volatile long asOfNanos;

  /**
   * Whether a question is open. A second question waits for the answer, so that questions do not
   * pile up while the log is away.
   */
  private volatile boolean isAsked;

  /**
   * For a catalog that was read just now.
   *
   * @param catchUp runs an action once the node has read all writes before the call
   * @param maxMs the age in milliseconds at which decisions are refused
   */
  CatalogAge(Consumer<Runnable> catchUp, LongSupplier nanos, long maxMs) {
    this.catchUp = catchUp;
    this.nanos = nanos;
    this.maxMs = maxMs;
    this.asOfNanos = nanos.getAsLong();
  }

  /** Asks for the end of the log unless a question is open; called a few times a second. */
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

  /** How long ago the node had read all writes, in nanoseconds; any thread. */
  long nanos() {
    return nanos.getAsLong() - asOfNanos;
  }

  /**
   * Refuses to decide while the catalog is too old.
   *
   * @throws RefusedException LOG_UNAVAILABLE: another node may know more
   */
  void require() {
    long ageMs = TimeUnit.NANOSECONDS.toMillis(nanos());
    if (ageMs >= maxMs) {
      throw new RefusedException(
          ErrorCode.LOG_UNAVAILABLE,
          "this node has not read the catalog for "
              + ageMs
              + " ms, so it cannot tell which keys and rights were revoked since; ask another node,"
              + " or try again later");
    }
  }
}
