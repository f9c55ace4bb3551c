package io.tunnel.server.log;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Asks a log that many nodes share where its partitions begin and end, in positions. May be asked
 * by any thread and answers by any. A future fails with an {@link java.io.IOException} when the log
 * cannot be reached within a bound; an answer names each partition that was asked for.
 */
public interface EdgeQueries {

  /**
   * Where one partition begins and ends.
   *
   * @param first position from which on all changes are kept
   * @param last position of the newest record, whether it is a change or not; 0 when there is none
   */
  record Edge(long first, long last) {
    /** Refuses positions that cannot be. */
    public Edge {
      if (first < 0 || last < 0) {
        throw new IllegalArgumentException("a log from " + first + " to " + last);
      }
    }
  }

  /** As it is when the log is asked, which is after the call. */
  CompletableFuture<Map<Integer, Edge>> edges(Collection<Integer> partitions);

  /**
   * The position of the first record that the log took at or after a moment, in microseconds since
   * 1970, as the log's own clock has it; {@link Long#MAX_VALUE} where there is none.
   */
  CompletableFuture<Map<Integer, Long>> firstSince(Collection<Integer> partitions, long micros);
}
