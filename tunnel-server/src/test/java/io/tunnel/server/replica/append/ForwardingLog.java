package io.tunnel.server.replica.append;

import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A log that passes all calls on. */
class ForwardingLog implements ReadableAppendLog {

  private final ReadableAppendLog log;

  ForwardingLog(ReadableAppendLog log) {
    this.log = log;
  }

  @Override
  public void append(int partition, byte[] header, byte[] value, Appended appended) {
    log.append(partition, header, value, appended);
  }

  @Override
  public boolean isFull() {
    return log.isFull();
  }

  @Override
  public AppendTail tail(AppendTail.Listener listener) {
    return log.tail(listener);
  }

  @Override
  public Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> partitions) {
    return log.starts(partitions);
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    return log.deleteBefore(partition, offset);
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}
