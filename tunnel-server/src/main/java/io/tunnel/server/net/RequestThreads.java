package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The threads for requests on which event loops must not wait, with their clock, and the answers of
 * failed requests. On each thread principals take turns, so a request waits there for one request
 * of each other principal at most, however many requests the other principals send.
 */
final class RequestThreads {

  /** Bytes of requests that wait in the queue of a thread, besides one request. */
  private static final long BYTES_MAX = 2L * Frame.PAYLOAD_BYTES_MAX;

  private final Executor control;
  private final Executor readers;
  private final WallClock clock;
  private final Refusals refusals;

  /** The turns of each thread: that of the catalog, those of tunnels, and the readers'. */
  private final Map<Executor, Turns> turns = new ConcurrentHashMap<>();

  RequestThreads(Executor control, Executor readers, WallClock clock, Refusals refusals) {
    this.control = control;
    this.readers = readers;
    this.clock = clock;
    this.refusals = refusals;
  }

  Executor control() {
    return control;
  }

  Executor readers() {
    return readers;
  }

  WallClock clock() {
    return clock;
  }

  Refusals refusals() {
    return refusals;
  }

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

  /**
   * Serves a request; {@code action} answers it unless it fails. The request waits for the turn of
   * its principal.
   */
  void post(Executor executor, Frame frame, Connection connection, Action action) {
    Runnable service =
        () -> {
          try {
            action.run();
          } catch (IOException | RuntimeException e) {
            connection.refuse(frame, refusals.of(frame, e));
          }
        };
    inTurn(
        executor,
        connection.owner(),
        frame.payload().length,
        service,
        () -> connection.refuse(frame, busy()));
  }

  /** Runs {@code service} on a thread of this object when it is the owner's turn. */
  void inTurn(Executor thread, Object owner, int bytes, Runnable service, Runnable refusal) {
    turns
        .computeIfAbsent(thread, of -> new Turns(of, BYTES_MAX))
        .run(owner, bytes, service, refusal);
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
