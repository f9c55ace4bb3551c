package io.tunnel.server.changes;

import io.tunnel.model.KnownPosition;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Asks a log that many nodes share where its partitions begin and end, in positions. May be asked
 * by any thread and answers by any. A future fails with an {@link java.io.IOException} when the log
 * cannot be reached within a bound; an answer names each partition that was asked for.
 */
public interface BoundsQueries {

  /** As it is when the log is asked, which is after the call. */
  CompletableFuture<Map<Integer, Bounds>> bounds(Collection<Integer> partitions);

  /**
   * The bounds of many partitions, each for itself: those of a partition that the log cannot tell
   * of leave the others alone. Names each partition that was asked for.
   */
  Map<Integer, CompletableFuture<Bounds>> boundsOfEach(Collection<Integer> partitions);

  /**
   * The position of the first record that the log took at or after a moment, in microseconds since
   * 1970, as the log's own clock has it; {@link Long#MAX_VALUE} where there is none.
   */
  CompletableFuture<Map<Integer, Long>> firstSince(Collection<Integer> partitions, long micros);

  /**
   * By partition, the last position up to the known one at which the log has what it had in that
   * incarnation: lower than the known one when the log lost its end since, and 0 when it cannot
   * tell.
   */
  CompletableFuture<Map<Integer, Long>> shared(Map<Integer, KnownPosition> known);
}
