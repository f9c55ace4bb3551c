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
 * repetition of a batch. An engine has one id for its life. Only a service that says that it has no
 * ids is written to without numbers, and is asked again each minute; once there is an id, no batch
 * is sent without a number. Thread-safe.
 */
final class WriterIds {

  /**
   * How long an engine that opens waits for its id, and a batch at most before it counts as not
   * sent.
   */
  static final long WAIT_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

  /** How long batches have no numbers after the service said that it has no ids. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** The answers of a service without numbers, of an earlier release or below the level. */
  private static final Set<ErrorCode> WITHOUT =
      EnumSet.of(ErrorCode.UNKNOWN_OPERATION, ErrorCode.FEATURE_NOT_ENABLED);

  private static final CompletableFuture<Optional<Bytes>> NO_ID =
      CompletableFuture.completedFuture(Optional.empty());

  private final PartitionMaps maps;
  private final int tableId;
  private final Ticker ticker;

  // Guarded by this.
  private Optional<Bytes> token = Optional.empty();

  /** The request that is under way. */
  private Optional<CompletableFuture<Optional<Bytes>>> asking = Optional.empty();

  /** Whether the service said that it has no ids. */
  private boolean isWithout;

  /** When a service without ids is asked again; valid while {@link #isWithout}. */
  private long askNanos;

  WriterIds(PartitionMaps maps, int tableId, Ticker ticker) {
    this.maps = maps;
    this.tableId = tableId;
    this.ticker = ticker;
  }

  /** Completes with the id, or with the answer or the failure that there is none; never fails. */
  CompletableFuture<Void> settled() {
    return id().handle((id, failure) -> null);
  }

  /**
   * The id; empty while the service has none; fails when nobody says. Asks unless a request is
   * under way.
   */
  CompletableFuture<Optional<Bytes>> id() {
    CompletableFuture<Optional<Bytes>> mine = new CompletableFuture<>();
    boolean isWanted;
    synchronized (this) {
      if (token.isPresent()) {
        return CompletableFuture.completedFuture(token);
      }
      boolean isDue = !isWithout || ticker.nanos() - askNanos >= 0;
      if (asking.isPresent() || !isDue) {
        return isWithout ? NO_ID : asking.get().copy();
      }
      asking = Optional.of(mine);
      isWanted = !isWithout;
    }
    request(mine);
    return isWanted ? mine.copy() : NO_ID;
  }

  private void request(CompletableFuture<Optional<Bytes>> mine) {
    CompletableFuture<WriterToken> answer;
    try {
      answer = maps.openWriter(tableId);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    var unused =
        answer.whenComplete((opened, failure) -> answered(mine, opened, Caller.unwrap(failure)));
  }

  private void answered(
      CompletableFuture<Optional<Bytes>> mine, WriterToken opened, Throwable failure) {
    boolean saysWithout =
        failure instanceof RefusedException refused && WITHOUT.contains(refused.code());
    Optional<Bytes> got;
    synchronized (this) {
      asking = Optional.empty();
      if (failure == null) {
        token = Optional.of(opened.bytes());
      }
      isWithout |= saysWithout;
      if (isWithout) {
        askNanos = ticker.nanos() + PAUSE_NANOS;
      }
      got = token;
    }
    if (failure == null || saysWithout) {
      mine.complete(got);
    } else {
      mine.completeExceptionally(failure);
    }
  }
}
