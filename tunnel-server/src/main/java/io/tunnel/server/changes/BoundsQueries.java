package io.tunnel.server.changes;

import io.tunnel.model.KnownPosition;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Questions to a shared log about the bounds of its partitions, in positions. Safe for use by any
 * thread; any thread may complete an answer. A future fails with an {@link java.io.IOException}
 * when the log does not answer in time; an answer names each partition of the question.
 */
public interface BoundsQueries {

  /** The bounds at some time after the call. */
  CompletableFuture<Map<Integer, Bounds>> bounds(Collection<Integer> partitions);

  /**
   * The bounds of many partitions at some time after the call; a failure of one partition does not
   * affect the others.
   */
  Map<Integer, CompletableFuture<Bounds>> boundsOfEach(Collection<Integer> partitions);

  /**
   * The position of the first record that was appended at or after a time by the log's clock, in
   * microseconds since 1970; {@link Long#MAX_VALUE} if there is none.
   */
  CompletableFuture<Map<Integer, Long>> firstSince(Collection<Integer> partitions, long micros);

  /**
   * By partition, the last position, up to the known one, at which the log still has its records of
   * the known incarnation: less than the known position when the log lost its end since, and 0 when
   * the log cannot tell.
   */
  CompletableFuture<Map<Integer, Long>> shared(Map<Integer, KnownPosition> known);
}
