package io.tunnel.server.replica.append;

import java.io.Closeable;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A {@link AppendLog} that can be read, and from whose start records are deleted. */
public interface ReadableAppendLog extends AppendLog, Closeable {

  /** Begins to read for {@code listener}, so far nothing. Closing the log does not close tails. */
  AppendTail tail(AppendTail.Listener listener);

  /** The first offsets of partitions that still have records; each partition fails for itself. */
  Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> partitions);

  /**
   * Deletes the records before {@code offset}, all of them or a part; a later request deletes the
   * rest. The start of the log may go back after a crash of the log's leader.
   */
  CompletableFuture<Void> deleteBefore(int partition, long offset);
}
