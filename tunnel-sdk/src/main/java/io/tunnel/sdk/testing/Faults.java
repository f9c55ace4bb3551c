package io.tunnel.sdk.testing;

import io.tunnel.model.ErrorCode;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** What a test wants to go wrong with the requests to come. */
final class Faults {

  private final Map<Operation, Deque<ErrorCode>> refusals = new EnumMap<>(Operation.class);
  private final Map<Operation, Duration> delays = new EnumMap<>(Operation.class);
  private int lostAnswers;

  void refuse(Operation operation, ErrorCode code) {
    refusals.computeIfAbsent(operation, first -> new ArrayDeque<>()).add(code);
  }

  Optional<ErrorCode> nextRefusal(Operation operation) {
    Deque<ErrorCode> waiting = refusals.get(operation);
    return waiting == null ? Optional.empty() : Optional.ofNullable(waiting.poll());
  }

  void delay(Operation operation, Duration delay) {
    delays.put(operation, delay);
  }

  Duration delay(Operation operation) {
    return delays.getOrDefault(operation, Duration.ZERO);
  }

  void loseAnswers(int writes) {
    lostAnswers += writes;
  }

  /** Whether the answer to a write is to be lost with its connection. */
  boolean losesAnswer() {
    boolean isLost = lostAnswers > 0;
    lostAnswers -= isLost ? 1 : 0;
    return isLost;
  }
}
