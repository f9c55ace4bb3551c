package io.tunnel.sdk.testing;

import io.tunnel.model.ErrorCode;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * The faults that a test has ordered for coming requests, and the requests that wait for their
 * time.
 *
 * @param <R> a request
 */
final class FaultsCore<R> {

  /** What becomes of the answer to a write, which is applied. */
  enum Answer {
    /** The client receives the answer. */
    GIVEN,
    /** The client is told that the outcome is unknown. */
    DOUBTED,
    /** The client loses its connection instead. */
    LOST
  }

  /** Per kind of request, refusals in the order in which the test ordered them. */
  private final Map<ClientRequest, Deque<ErrorCode>> refusals = new EnumMap<>(ClientRequest.class);

  private final Map<ClientRequest, Duration> delays = new EnumMap<>(ClientRequest.class);

  /** Writes whose answers are still to be lost; at least 0. */
  private int lost;

  /** Writes that are still to be doubted, before any is lost; at least 0. */
  private int doubted;

  /** Requests in the order of their times; of one time, in the order of arrival. */
  private final PriorityQueue<Due<R>> waiting =
      new PriorityQueue<>(
          Comparator.comparingLong((Due<R> due) -> due.micros()).thenComparingLong(Due::number));

  private long arrived;

  /** A request and the time at which it is served, in microseconds since 1970. */
  record Due<R>(long micros, long number, R request) {}

  void refuse(ClientRequest request, ErrorCode code) {
    refusals.computeIfAbsent(request, first -> new ArrayDeque<>()).add(code);
  }

  void delay(ClientRequest request, Duration delay) {
    delays.put(request, delay);
  }

  void loseAnswers(int writes) {
    lost += writes;
  }

  void doubt(int writes) {
    doubted += writes;
  }

  /** A request arrives; returns whether it waits for its time now. */
  boolean arrives(Operation operation, R request, long nowMicros) {
    Duration delay = ClientRequest.of(operation).map(delays::get).orElse(Duration.ZERO);
    if (delay.isZero()) {
      return false;
    }
    long micros = nowMicros + TimeUnit.NANOSECONDS.toMicros(delay.toNanos());
    waiting.add(new Due<>(micros, ++arrived, request));
    return true;
  }

  /** The next request whose time has come by {@code micros}; it waits no longer. */
  Optional<Due<R>> due(long micros) {
    return waiting.isEmpty() || waiting.peek().micros() > micros
        ? Optional.empty()
        : Optional.of(waiting.poll());
  }

  int waiting() {
    return waiting.size();
  }

  /** The server's process has died, and the waiting requests with it. */
  void crashed() {
    waiting.clear();
  }

  /** The refusal of a request that is served now, if the test ordered one. */
  Optional<ErrorCode> refusal(Operation operation) {
    return ClientRequest.of(operation).map(refusals::get).map(Deque::poll);
  }

  /** What becomes of the answer to a write that is served now. */
  Answer answer() {
    if (doubted > 0) {
      doubted--;
      return Answer.DOUBTED;
    }
    if (lost > 0) {
      lost--;
      return Answer.LOST;
    }
    return Answer.GIVEN;
  }
}
