package io.tunnel.server.net;

import io.tunnel.server.changes.LogFigures;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Figures that tell when they are asked for.
 *
 * @param asked runs on each thread that asks
 */
record ToldFigures(LogFigures all, Runnable asked) implements LogFigures {

  @Override
  public CompletableFuture<LogFigures> about(Map<Integer, Set<Long>> positions) {
    asked.run();
    return CompletableFuture.completedFuture(all);
  }

  @Override
  public long committed(int partition) {
    return all.committed(partition);
  }

  @Override
  public long firstPosition(int partition) {
    return all.firstPosition(partition);
  }

  @Override
  public long bytesAfter(int partition, long position) {
    return all.bytesAfter(partition, position);
  }

  @Override
  public long commitMicrosAfter(int partition, long position) throws IOException {
    return all.commitMicrosAfter(partition, position);
  }

  @Override
  public Optional<Long> givenUpMicros(int partition) {
    return all.givenUpMicros(partition);
  }
}
