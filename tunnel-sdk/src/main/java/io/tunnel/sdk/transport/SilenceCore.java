package io.tunnel.sdk.transport;

/**
 * Decides whether the server of a connection with unanswered requests is silent. A request may take
 * long, so missing bytes alone prove nothing: the server is probed first, and counts as silent when
 * the probe brings no byte either.
 *
 * <p>The owner looks at regular times. A received byte, or a look without waiting requests, starts
 * over.
 */
final class SilenceCore {

  /** The result of a look. */
  enum Finding {
    /** A byte came, or no request waits. */
    FINE,
    /** No byte came since the last look: probe the server. */
    ASK,
    /** No byte came since the probe. */
    SILENT
  }

  private long received;
  private boolean wasWaitedFor;
  private boolean isAsked;

  /**
   * A look.
   *
   * @param isWaitedFor whether a request waits that another server could answer
   * @param receivedBytes bytes received since the connection opened
   */
  Finding look(boolean isWaitedFor, long receivedBytes) {
    boolean isQuiet = isWaitedFor && wasWaitedFor && receivedBytes == received;
    received = receivedBytes;
    wasWaitedFor = isWaitedFor;
    if (!isQuiet) {
      isAsked = false;
      return Finding.FINE;
    }
    if (!isAsked) {
      isAsked = true;
      return Finding.ASK;
    }
    return Finding.SILENT;
  }
}
