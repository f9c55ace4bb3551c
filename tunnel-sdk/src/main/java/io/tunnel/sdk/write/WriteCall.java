package io.tunnel.sdk.write;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Collects the results of the rows of one write; the rows may end on several threads. */
public final class WriteCall {

  private final RowResult[] results;
  private final AtomicInteger left;
  private final CompletableFuture<BatchWriteResult> result = new CompletableFuture<>();

  public WriteCall(int rows) {
    results = new RowResult[rows];
    left = new AtomicInteger(rows);
    if (rows == 0) {
      complete();
    }
  }

  public CompletableFuture<BatchWriteResult> result() {
    return result;
  }

  public void add(WriteEngine engine, RowChange row, int index) {
    try {
      engine.add(row, (added, outcome) -> end(index, outcome));
    } catch (IllegalArgumentException | IllegalStateException e) {
      // The other rows go on.
      end(index, failure(e));
    }
  }

  /** Adds rows as one atomic batch; the future completes with the result of each row. */
  public static CompletableFuture<BatchWriteResult> atomic(
      WriteEngine engine, List<RowChange> rows) {
    List<RowChange> written = List.copyOf(rows);
    WriteCall call = new WriteCall(written.size());
    if (!written.isEmpty()) {
      call.addAtomic(engine, written);
    }
    return call.result;
  }

  private void addAtomic(WriteEngine engine, List<RowChange> rows) {
    List<RowCallback> callbacks = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      int index = i;
      callbacks.add((added, outcome) -> end(index, outcome));
    }
    try {
      engine.addAtomic(rows, callbacks);
    } catch (IllegalArgumentException | IllegalStateException e) {
      for (int i = 0; i < rows.size(); i++) {
        end(i, failure(e));
      }
    }
  }

  /** The result of a row that the server would refuse, too, or that the engine takes no more. */
  private static RowResult failure(RuntimeException e) {
    String message = String.valueOf(e.getMessage());
    return e instanceof IllegalArgumentException
        ? new RowResult(Outcome.REJECTED, -1, -1, Optional.of(ErrorCode.INVALID_REQUEST), message)
        : new RowResult(Outcome.NOT_SENT, -1, -1, Optional.empty(), message);
  }

  private void end(int index, RowResult outcome) {
    results[index] = outcome;
    // The counter orders all writes to the array before the read by the last thread.
    if (left.decrementAndGet() == 0) {
      complete();
    }
  }

  private void complete() {
    result.complete(new BatchWriteResult(Arrays.asList(results)));
  }
}
