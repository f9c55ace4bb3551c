package io.tunnel.sdk.transport;

/**
 * Whether a connection has fallen silent that answers are waited for on. A request may take long,
 * so silence alone says nothing: the server is asked whether it is there, and only if that brings
 * nothing either is it taken for gone.
 *
 * <p>Looked at every now and then. A change of what was received, or nobody who waits, begins it
 * anew.
 */
final class SilenceCore {

  /** What a look has found. */
  enum Finding {
    /** Something came, or nothing is waited for. */
    FINE,
    /** Nothing has come since the last look: ask. */
    ASK,
    /** Nothing has come since it was asked. */
    SILENT
  }

  private long received;
  private boolean wasWaitedFor;
  private boolean isAsked;

  /**
   * A look.
   *
   * @param isWaitedFor whether there is somebody to whom it matters
   * @param receivedBytes all bytes that have ever come
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
