package io.tunnel.sdk.write;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Ticker;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The id under which the batches of an engine are numbered, so that the server recognises the
 * repetition of a batch. Without an id, because the server has no such ids, batches have no
 * numbers, and a batch whose answer is lost is in doubt. Thread-safe.
 */
final class WriterIds {

  /** How long batches have no numbers when the server gave no id. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);

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

  /** The id; empty while there is none. Asks for one now and then. */
  Optional<Bytes> token() {
    boolean mustAsk;
    Optional<Bytes> now;
    synchronized (this) {
      now = token;
      mustAsk = token.isEmpty() && !isAsking && ticker.nanos() - askNanos >= 0;
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
              synchronized (this) {
                isAsking = false;
                gotNanos = ticker.nanos();
                askNanos = gotNanos + PAUSE_NANOS;
                token = Optional.ofNullable(opened).map(each -> each.bytes());
              }
              return null;
            });
  }
}
