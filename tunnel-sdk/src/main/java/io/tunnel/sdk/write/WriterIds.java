package io.tunnel.sdk.write;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.wire.WriterToken;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The id under which the batches of an engine are numbered, so that the server recognises the
 * repetition of a batch. Without an id, because the server has no such ids, batches have no
 * numbers, and a batch whose answer is lost is in doubt. Thread-safe.
 */
final class WriterIds {

  /**
   * An id that is older is replaced, and a lane that was silent for longer takes the new one: a
   * partition forgets a writer that is silent for twice as long, and takes no unknown writer that
   * is so old.
   */
  static final long RENEW_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** How long batches have no numbers when the server gave no id. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** How soon an id is asked for again when nobody said whether there are ids. */
  private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What a service without numbers answers, of an earlier release or below the level. */
  private static final Set<ErrorCode> WITHOUT =
      EnumSet.of(
          ErrorCode.UNKNOWN_OPERATION, ErrorCode.FEATURE_NOT_ENABLED, ErrorCode.NOT_PERMITTED);

  /** An id that ends sooner is not replaced at once: the next one would end as soon. */
  private static final long LIFE_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);

  private static final long OPEN_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

  private final PartitionMaps maps;
  private final int tableId;
  private final Ticker ticker;

  // Guarded by this.
  private Optional<Bytes> token = Optional.empty();
  private long gotNanos;
  private boolean isAsking;
  private long askNanos;

  /** What came of a request for an id. */
  private sealed interface Asked {

    /** Batches are numbered under the id. */
    record Given(Bytes token) implements Asked {}

    /** The service numbers no batches: they are written without numbers, for a while. */
    record Without() implements Asked {}

    /** Nobody said; batches are written without numbers until somebody does. */
    record Unknown() implements Asked {}

    static Asked of(WriterToken opened, Throwable failure) {
      if (failure == null) {
        return new Given(opened.bytes());
      }
      boolean isWithout =
          Caller.unwrap(failure) instanceof RefusedException refused
              && WITHOUT.contains(refused.code());
      return isWithout ? new Without() : new Unknown();
    }
  }

  WriterIds(PartitionMaps maps, int tableId, Ticker ticker) {
    this.maps = maps;
    this.tableId = tableId;
    this.ticker = ticker;
    this.askNanos = ticker.nanos();
  }

  /** Waits a while for the first id, or for the answer that there is none. */
  void open() {
    Caller.await(ask().completeOnTimeout(null, OPEN_NANOS_MAX, TimeUnit.NANOSECONDS));
  }

  /** The id; empty while there is none. Asks for one now and then, and for a newer one. */
  Optional<Bytes> token() {
    boolean mustAsk;
    Optional<Bytes> now;
    synchronized (this) {
      now = token;
      long nowNanos = ticker.nanos();
      boolean isWanted = token.isEmpty() || nowNanos - gotNanos >= RENEW_NANOS;
      mustAsk = isWanted && !isAsking && nowNanos - askNanos >= 0;
    }
    if (mustAsk) {
      var unused = ask();
    }
    return now;
  }

  /** The server refused a batch with that id. */
  void ended(Bytes ofBatch, ErrorCode code) {
    synchronized (this) {
      if (!token.equals(Optional.of(ofBatch))) {
        return;
      }
      token = Optional.empty();
      long nowNanos = ticker.nanos();
      boolean mayReplace = code == ErrorCode.WRITER_ENDED && nowNanos - gotNanos >= LIFE_NANOS_MIN;
      askNanos = mayReplace ? nowNanos : nowNanos + PAUSE_NANOS;
    }
    var unused = token();
  }

  private CompletableFuture<Void> ask() {
    synchronized (this) {
      if (isAsking) {
        return CompletableFuture.completedFuture(null);
      }
      isAsking = true;
    }
    return maps.openWriter(tableId)
        .handle(
            (opened, failure) -> {
              answered(Asked.of(opened, failure));
              return null;
            });
  }

  private synchronized void answered(Asked asked) {
    isAsking = false;
    long nowNanos = ticker.nanos();
    askNanos = nowNanos + (asked instanceof Asked.Unknown ? ASK_NANOS : PAUSE_NANOS);
    if (asked instanceof Asked.Given given) {
      gotNanos = nowNanos;
      token = Optional.of(given.token());
    } else if (asked instanceof Asked.Without) {
      token = Optional.empty();
    }
  }
}
