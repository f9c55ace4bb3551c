package io.tunnel.sdk;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Subject;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.sdk.write.WriteCall;
import io.tunnel.sdk.write.WriteEngine;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A session for bound rows: rows that are gone when the program is gone that wrote them. Each PUT
 * and UPDATE of the session binds its row to the session. When the session ends, the server deletes
 * the rows that are still bound to it; the stream shows each DELETE with the {@linkplain
 * io.tunnel.sdk.processor.StreamRecord#deletionCause cause} {@code SESSION_ENDED}. The last write
 * of a row decides: a row that a client writes outside of the session is bound no more.
 *
 * <p>The session renews its lease by itself, three times in a lease, through reconnects and
 * restarts of the server. It ends when it is closed, or when the server has had no renewal for a
 * lease. A program whose session is {@linkplain End#LOST lost} opens another one, and writes its
 * rows again. Thread-safe.
 */
public final class RowSession implements AutoCloseable {

  /** Renewals in a lease, so that two may fail. */
  private static final int RENEWALS = 3;

  private static final long CLOSE_MS_MAX = 2_000;

  private final Wiring wiring;
  private final SessionProof proof;
  private final Duration lease;
  private final byte[] named;
  private final Map<String, WriteEngine> engines = new ConcurrentHashMap<>();
  private final CompletableFuture<End> ended = new CompletableFuture<>();

  /** When the session may have ended, unless a renewal succeeds; the event loop writes it. */
  private volatile long deadlineNanos;

  /** How a session ended. */
  public enum End {
    /** The program closed it. */
    CLOSED,
    /**
     * The server has ended it, or may have: no renewal succeeded for a lease. Its rows are gone, or
     * will be.
     */
    LOST
  }

  /**
   * What a session needs of its client.
   *
   * @param engines opens an engine for the bound rows of a table
   * @param forget is told of each engine that is closed
   */
  record Wiring(
      Caller caller,
      Nodes nodes,
      Ticker ticker,
      Function<Bound, CompletableFuture<WriteEngine>> engines,
      Consumer<WriteEngine> forget) {}

  /** Rows of a table that are bound to a session. */
  record Bound(String table, SessionProof session) {}

  /**
   * A session that the server has opened.
   *
   * @param askedNanos when the server was asked first: the lease does not end before
   */
  RowSession(Wiring wiring, SessionProof proof, Duration lease, long askedNanos) {
    this.wiring = wiring;
    this.proof = proof;
    this.lease = lease;
    this.named = Json.encode(new RowSessionControl.Named(proof.session(), proof.secret()));
    this.deadlineNanos = askedNanos + lease.toNanos();
  }

  /** Begins to renew. */
  void begin() {
    later(this::renew, lease.toNanos() / RENEWALS);
    later(this::watch, lease.toNanos());
  }

  private void later(Runnable task, long nanos) {
    try {
      wiring.nodes().later(task, nanos);
    } catch (RejectedExecutionException e) {
      // The client is closed: nobody renews any more.
      ended.complete(End.LOST);
    }
  }

  private void renew() {
    if (!isOpen()) {
      return;
    }
    long askedNanos = wiring.ticker().nanos();
    var unused =
        wiring
            .caller()
            .ask(Subject.CATALOG, Operation.RENEW_ROW_SESSION, named)
            .whenComplete(
                (frame, failure) -> later(() -> renewed(askedNanos, Caller.unwrap(failure)), 0));
  }

  private void renewed(long askedNanos, Throwable failure) {
    if (failure == null) {
      deadlineNanos = askedNanos + lease.toNanos();
      // From the question on: an answer that took long leaves less of the lease.
      long nextNanos = askedNanos + lease.toNanos() / RENEWALS - wiring.ticker().nanos();
      later(this::renew, Math.max(0, nextNanos));
    } else if (failure instanceof RefusedException refused && !refused.retriable()) {
      ended.complete(End.LOST);
    } else {
      // The caller has retried for a while; the client may also be closed.
      later(this::renew, lease.toNanos() / (10 * RENEWALS));
    }
  }

  /** Looks whether the lease is over as far as the client knows. */
  private void watch() {
    if (isOpen()) {
      later(this::watch, Math.max(0, deadlineNanos - wiring.ticker().nanos()));
    }
  }

  /** The id of the session, as the server's messages name it. */
  public long id() {
    return proof.session();
  }

  /** How long the session lives without a renewal. */
  public Duration lease() {
    return lease;
  }

  /**
   * Whether the session has not ended, as far as the client knows. Looks at the clock: false from
   * the first call after the lease, also when the process was stopped meanwhile.
   */
  public boolean isOpen() {
    if (!ended.isDone() && wiring.ticker().nanos() - deadlineNanos >= 0) {
      ended.complete(End.LOST);
    }
    return !ended.isDone();
  }

  /**
   * Completes when the session ends, on any thread; never fails. A lost session completes within a
   * lease, also while the server cannot be reached.
   */
  public CompletableFuture<End> ended() {
    return ended.copy();
  }

  /**
   * As {@link TableClient#write}, with rows that are bound to the session from then on. A DELETE
   * deletes its row.
   *
   * @throws WriteFailedException when a row was not applied, or is in doubt; a row has {@code
   *     SESSION_ENDED} when the server has ended the session, and {@code LIMIT_REACHED} when the
   *     session has {@link io.tunnel.model.Limits#SESSION_ROWS_MAX} rows of its partition, or the
   *     server has no place for further bound rows of the session's principal
   * @throws RefusedException {@code SESSION_ENDED} when the session has ended before
   */
  public BatchWriteResult write(String table, List<RowChange> rows) {
    List<RowChange> written = List.copyOf(rows);
    return WriteFailedException.requireApplied(table, written, tryWrite(table, written));
  }

  /**
   * Takes a lock: writes a row that must not exist, bound to the session. The lock is free again
   * when the row is deleted or the session ends.
   *
   * <p>A program that was stopped for longer than its lease may still believe in its lock while
   * another program holds the lock. So the protected resource must check the fencing number: the
   * resource keeps the greatest number of all requests, and refuses a request with a smaller
   * number.
   *
   * @param columns what the row says of the owner
   * @return the fencing number, above the number of each former owner of the lock; empty when
   *     somebody has the lock. The number is the position of the row's write
   * @throws WriteFailedException when the row was refused for another reason, or is in doubt: then
   *     the session may have the lock
   * @throws RefusedException {@code SESSION_ENDED} when the session has ended before
   */
  public OptionalLong tryLock(String table, PrimaryKey key, List<Column> columns) {
    List<RowChange> row =
        List.of(new RowPutChange(key, columns, RowExistenceExpectation.EXPECT_NOT_EXIST));
    BatchWriteResult result = tryWrite(table, row);
    Optional<ErrorCode> error = result.results().get(0).error();
    if (error.filter(ErrorCode.CONDITION_FAILED::equals).isPresent()) {
      return OptionalLong.empty();
    }
    BatchWriteResult taken = WriteFailedException.requireApplied(table, row, result);
    return OptionalLong.of(taken.results().get(0).position());
  }

  /** As {@link #write}, but returns the outcome of each row instead of throwing. */
  public BatchWriteResult tryWrite(String table, List<RowChange> rows) {
    EventLoops.requireMayBlock("write");
    return Caller.await(tryWriteAsync(table, rows));
  }

  /** As {@link TableClient#tryWriteAsync}, with bound rows. */
  public CompletableFuture<BatchWriteResult> tryWriteAsync(String table, List<RowChange> rows) {
    List<RowChange> written = List.copyOf(rows);
    WriteEngine engine = engine(table);
    WriteCall call = new WriteCall(written.size());
    for (int i = 0; i < written.size(); i++) {
      call.add(engine, written.get(i), i);
    }
    engine.hurry();
    return call.result().thenApply(this::look);
  }

  /** As {@link TableClient#writeAtomically}, with bound rows. */
  public BatchWriteResult writeAtomically(String table, List<RowChange> rows) {
    EventLoops.requireMayBlock("write");
    List<RowChange> written = List.copyOf(rows);
    WriteEngine engine = engine(table);
    CompletableFuture<BatchWriteResult> result = WriteCall.atomic(engine, written);
    engine.hurry();
    return WriteFailedException.requireApplied(table, written, look(Caller.await(result)));
  }

  private WriteEngine engine(String table) {
    if (!isOpen()) {
      throw new RefusedException(
          ErrorCode.SESSION_ENDED,
          "session "
              + proof.session()
              + " has ended; open another session, and write the rows again");
    }
    WriteEngine known = engines.get(table);
    if (known != null) {
      return known;
    }
    EventLoops.requireMayBlock("the first write to table '" + table + "' in a session");
    synchronized (engines) {
      WriteEngine opened = engines.get(table);
      return opened != null ? opened : Caller.await(opening(table));
    }
  }

  /** Opens the engine of a table that has none yet. */
  CompletableFuture<WriteEngine> opening(String table) {
    return wiring
        .engines()
        .apply(new Bound(table, proof))
        .thenApply(
            engine -> {
              engines.put(table, engine);
              return engine;
            });
  }

  /** The server may say first in the answer to a write that the session has ended. */
  private BatchWriteResult look(BatchWriteResult result) {
    boolean hasEnded =
        result.results().stream()
            .anyMatch(row -> row.error().filter(ErrorCode.SESSION_ENDED::equals).isPresent());
    if (hasEnded) {
      ended.complete(End.LOST);
    }
    return result;
  }

  /**
   * Waits for the rows in flight, ends the session, and returns when the server has deleted its
   * rows. Does nothing to a session that has ended. Idempotent.
   *
   * @throws ConnectionException when the server cannot be reached; the session then ends with its
   *     lease
   */
  @Override
  public void close() {
    EventLoops.requireMayBlock("close");
    try {
      Caller.await(closing());
    } finally {
      closeEngines();
    }
  }

  /** Waits for the rows in flight, and ends the session; the engines stay open. */
  CompletableFuture<Void> closing() {
    CompletableFuture<?>[] flushing =
        isOpen()
            ? engines.values().stream()
                .map(WriteEngine::flushing)
                .toArray(CompletableFuture<?>[]::new)
            : new CompletableFuture<?>[0];
    return CompletableFuture.allOf(flushing)
        .thenCompose(
            flushed ->
                ended.complete(End.CLOSED)
                    ? wiring.caller().ask(Subject.CATALOG, Operation.CLOSE_ROW_SESSION, named)
                    : CompletableFuture.completedFuture(null))
        .thenAccept(answer -> {});
  }

  private void closeEngines() {
    for (WriteEngine engine : engines.values()) {
      engine.close();
      wiring.forget().accept(engine);
    }
  }

  /**
   * As {@link #close}, for a client that closes: completes with the answer, or after a moment;
   * never fails.
   */
  CompletableFuture<Boolean> closeAtOnce() {
    closeEngines();
    if (!ended.complete(End.CLOSED)) {
      return CompletableFuture.completedFuture(false);
    }
    return wiring
        .caller()
        .ask(Subject.CATALOG, Operation.CLOSE_ROW_SESSION, named)
        .orTimeout(CLOSE_MS_MAX, TimeUnit.MILLISECONDS)
        // Without an answer the lease ends the session.
        .handle((answer, failure) -> failure == null);
  }
}
