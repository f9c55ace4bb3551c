package io.tunnel.sdk.testing;

import io.tunnel.model.ErrorCode;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** The faults that a test has ordered for coming requests. */
final class Faults {

  private final Map<ClientRequest, Deque<ErrorCode>> refusals = new EnumMap<>(ClientRequest.class);
  private final Map<ClientRequest, Duration> delays = new EnumMap<>(ClientRequest.class);
  private int lostAnswers;
  private int doubtedWrites;

  void refuse(ClientRequest request, ErrorCode code) {
    refusals.computeIfAbsent(request, first -> new ArrayDeque<>()).add(code);
  }

  Optional<ErrorCode> nextRefusal(Operation operation) {
    return ClientRequest.of(operation).map(refusals::get).map(Deque::poll);
  }

  void delay(ClientRequest request, Duration delay) {
    delays.put(request, delay);
  }

  Duration delay(Operation operation) {
    return ClientRequest.of(operation).map(delays::get).orElse(Duration.ZERO);
  }

  void loseAnswers(int writes) {
    lostAnswers += writes;
  }

  void doubt(int writes) {
    doubtedWrites += writes;
  }

  /** Whether to say of this write, which is applied, that nobody knows. */
  boolean doubts() {
    boolean isDoubted = doubtedWrites > 0;
    doubtedWrites -= isDoubted ? 1 : 0;
    return isDoubted;
  }

  /** Whether to lose the answer to this write, with its connection. */
  boolean losesAnswer() {
    boolean isLost = lostAnswers > 0;
    lostAnswers -= isLost ? 1 : 0;
    return isLost;
  }
}
