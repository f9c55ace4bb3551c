package io.tunnel.server.forward;

/** Is told what becomes of forwarded requests. For any thread; must not wait. */
public interface ForwardMeter {

  /** Meters nothing. */
  ForwardMeter NONE = (outcome, requestBytes, answerBytes, nanos) -> {};

  /** What became of a request. */
  enum Outcome {
    /** The node answered. */
    ANSWERED,
    /** The node refused. */
    REFUSED,
    /** This server had no room for the request; see {@link ForwardCore}. */
    BUSY,
    /** See {@link ForwardException.Reason#UNKNOWN_NODE}. */
    UNKNOWN_NODE,
    /** See {@link ForwardException.Reason#UNREACHABLE}. */
    UNREACHABLE,
    /** See {@link ForwardException.Reason#DEADLINE}. */
    DEADLINE,
    /** See {@link ForwardException.Reason#DISCONNECTED}. */
    DISCONNECTED,
    /** See {@link ForwardException.Reason#CLOSED}. */
    CLOSED;

    static Outcome of(ForwardException.Reason reason) {
      return switch (reason) {
        case UNKNOWN_NODE -> UNKNOWN_NODE;
        case UNREACHABLE -> UNREACHABLE;
        case DEADLINE -> DEADLINE;
        case DISCONNECTED -> DISCONNECTED;
        case CLOSED -> CLOSED;
      };
    }
  }

  /**
   * A request has ended; called once for each request.
   *
   * @param requestBytes length of the request's payload
   * @param answerBytes length of the answer's payload; 0 without one
   * @param nanos from the request to its end
   */
  void ended(Outcome outcome, int requestBytes, int answerBytes, long nanos);
}
