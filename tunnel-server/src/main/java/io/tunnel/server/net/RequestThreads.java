package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The threads for requests on which event loops must not wait, with their clock, and the answers of
 * failed requests.
 */
record RequestThreads(Executor control, Executor readers, WallClock clock, Refusals refusals) {

  /** The time of day, injected. */
  @FunctionalInterface
  interface WallClock {
    /** Microseconds since 1970. */
    long epochMicros();

    /** Milliseconds since 1970. */
    default long epochMs() {
      return TimeUnit.MICROSECONDS.toMillis(epochMicros());
    }
  }

  /** Work that may fail. */
  @FunctionalInterface
  interface Action {
    void run() throws IOException;
  }

  /** Makes an answer, or fails. */
  @FunctionalInterface
  interface Question {
    Control answer() throws IOException;
  }

  /** Serves a request; {@code action} answers it unless it fails. */
  void post(Executor executor, Frame frame, Connection connection, Action action) {
    try {
      executor.execute(
          () -> {
            try {
              action.run();
            } catch (IOException | RuntimeException e) {
              connection.refuse(frame, refusals.of(frame, e));
            }
          });
    } catch (RejectedExecutionException e) {
      throw busy();
    }
  }

  /** Serves a request whose answer is the result of {@code question}. */
  void answer(Executor executor, Frame frame, Connection connection, Question question) {
    post(
        executor,
        frame,
        connection,
        () -> connection.respond(frame, Json.encode(question.answer())));
  }

  static RefusedException busy() {
    return new RefusedException(ErrorCode.BUSY, "too many requests wait; try again later");
  }
}
