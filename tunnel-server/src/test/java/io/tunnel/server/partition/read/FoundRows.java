package io.tunnel.server.partition.read;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.BaseRows;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What one read of base data found. */
final class FoundRows implements BaseRows.Sink {

  long lastPosition;
  Bytes lastKey = Bytes.EMPTY;
  boolean isEnd;
  boolean isMore;
  private byte[] rows = new byte[0];
  private final CompletableFuture<FoundRows> told = new CompletableFuture<>();

  @Override
  public void rows(byte[] batch, long last, Bytes key, boolean end) {
    rows = batch;
    lastPosition = last;
    lastKey = key;
    isEnd = end;
    tell();
  }

  @Override
  public void more() {
    isMore = true;
    tell();
  }

  @Override
  public void end() {
    isEnd = true;
    tell();
  }

  @Override
  public void failed(RuntimeException reason) {
    if (!told.completeExceptionally(reason)) {
      throw new IllegalStateException("told twice");
    }
  }

  private void tell() {
    if (!told.complete(this)) {
      throw new IllegalStateException("told twice");
    }
  }

  boolean isTold() {
    return told.isDone();
  }

  boolean hasRows() {
    return rows.length > 0;
  }

  ChangeBatch batch() {
    return ChangeBatch.parse(rows, 0, rows.length);
  }

  FoundRows await() throws Exception {
    return told.get(60, TimeUnit.SECONDS);
  }
}
