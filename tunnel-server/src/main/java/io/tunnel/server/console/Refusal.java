package io.tunnel.server.console;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.forward.ForwardException;
import java.util.Objects;
import java.util.concurrent.CompletionException;

/** The console refuses a request. Has no stack trace: it is an answer, not a failure. */
final class Refusal extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** The code of failures of the console itself. */
  private static final String UNEXPECTED = "CONSOLE_FAILED";

  private final transient HttpResponseStatus status;
  private final String code;

  /**
   * A refusal.
   *
   * @param code for programs: a name of {@link ErrorCode}, or one of the console's own
   * @param message for people
   */
  Refusal(HttpResponseStatus status, String code, String message) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
  }

  /** The refusal that a failure is, if it is one. */
  static Refusal of(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof Refusal refusal) {
      return refusal;
    }
    if (cause instanceof RefusedException refused) {
      return new Refusal(
          statusOf(refused.code()),
          refused.code().name(),
          Objects.requireNonNullElse(refused.getMessage(), ""));
    }
    if (cause instanceof ForwardException lost) {
      return new Refusal(statusOf(lost.reason()), lost.reason().name(), lost.getMessage());
    }
    return new Refusal(
        HttpResponseStatus.INTERNAL_SERVER_ERROR, UNEXPECTED, "see the server's log");
  }

  private static HttpResponseStatus statusOf(ForwardException.Reason reason) {
    return switch (reason) {
      case UNKNOWN_NODE -> HttpResponseStatus.NOT_FOUND;
      case UNREACHABLE, DISCONNECTED, CLOSED -> HttpResponseStatus.SERVICE_UNAVAILABLE;
      case DEADLINE -> HttpResponseStatus.GATEWAY_TIMEOUT;
    };
  }

  /** The status that fits an error of the native protocol. */
  static HttpResponseStatus statusOf(ErrorCode code) {
    return switch (code) {
      case INVALID_REQUEST,
          UNSUPPORTED_VERSION,
          UNKNOWN_OPERATION,
          CORRUPT,
          KEY_MISMATCH,
          INVALID_CHECKPOINT,
          INVALID_POSITION ->
          HttpResponseStatus.BAD_REQUEST;
      case FRAME_TOO_LARGE, ROW_TOO_LARGE, BATCH_TOO_LARGE ->
          HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE;
      case TABLE_NOT_FOUND, TUNNEL_NOT_FOUND, CHANNEL_NOT_FOUND -> HttpResponseStatus.NOT_FOUND;
      case TABLE_EXISTS,
          TUNNEL_EXISTS,
          CONDITION_FAILED,
          NOT_AN_INTEGER,
          INTEGER_OVERFLOW,
          WRONG_PARTITION,
          SESSION_ENDED,
          FENCED,
          HISTORY_LOST,
          POSITION_REPLACED,
          LIMIT_REACHED,
          FEATURE_NOT_ENABLED,
          WRITER_ENDED,
          BATCH_REFUSED ->
          HttpResponseStatus.CONFLICT;
      case BUSY, SHUTTING_DOWN, NOT_LEADER, LOG_UNAVAILABLE ->
          HttpResponseStatus.SERVICE_UNAVAILABLE;
      case STORAGE_FAILED, INTERNAL, OUTCOME_UNKNOWN -> HttpResponseStatus.INTERNAL_SERVER_ERROR;
      case NOT_AUTHENTICATED -> HttpResponseStatus.UNAUTHORIZED;
      case NOT_PERMITTED -> HttpResponseStatus.FORBIDDEN;
    };
  }

  /** Whether it stands for a failure that nobody expects, and of which a page is told nothing. */
  boolean isUnexpected() {
    return code.equals(UNEXPECTED);
  }

  HttpResponseStatus status() {
    return status;
  }

  String code() {
    return code;
  }

  Answer answer() {
    return Answer.refusal(status, code, getMessage());
  }
}
