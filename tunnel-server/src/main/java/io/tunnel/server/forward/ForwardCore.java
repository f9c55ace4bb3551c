package io.tunnel.server.forward;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Counts the open requests of this server and their bytes, and decides how far a request follows
 * the leaders that nodes name. Not thread-safe.
 */
final class ForwardCore {

  /** Open requests of all principals. */
  static final int OPEN_MAX = 64;

  /** Open requests of one principal. */
  static final int OPEN_OF_PRINCIPAL_MAX = 16;

  /** Bytes of the payloads of open requests, and of their answers that are arriving. */
  static final long BYTES_MAX = 16L << 20;

  private final Map<String, Integer> openByPrincipal = new HashMap<>();

  /** The sum of openByPrincipal; open <= OPEN_MAX. */
  private int open;

  /** Bytes of payloads of open requests; payloadBytes <= BYTES_MAX. */
  private long payloadBytes;

  /** Bytes of answers that are arriving. */
  private long answerBytes;

  /** An open request. */
  static final class Open {
    private final String principal;
    private final int payloadBytes;
    private final long sinceNanos;
    private int hops;
    private boolean isEnded;

    private Open(String principal, int payloadBytes, long sinceNanos) {
      this.principal = principal;
      this.payloadBytes = payloadBytes;
      this.sinceNanos = sinceNanos;
    }

    /** When the request began. */
    long sinceNanos() {
      return sinceNanos;
    }
  }

  /**
   * Begins a request.
   *
   * @param principal empty without authentication
   * @param isReading whether it may wait for changes: then it takes no place of the second half of
   *     the places, so that pages that follow changes leave room for all other requests
   * @throws RefusedException BUSY when there are too many open requests or bytes
   */
  Open begin(String principal, int requestBytes, boolean isReading, long nowNanos) {
    int share = isReading ? 2 : 1;
    int ofPrincipal = openByPrincipal.getOrDefault(principal, 0);
    if (ofPrincipal >= OPEN_OF_PRINCIPAL_MAX / share && !principal.isEmpty()) {
      throw busy(ofPrincipal + " requests of '" + principal + "'");
    }
    if (open >= OPEN_MAX / share) {
      throw busy(open + " requests");
    }
    if (payloadBytes + answerBytes + requestBytes > BYTES_MAX) {
      throw busy("requests and answers of " + (payloadBytes + answerBytes) + " bytes");
    }
    open++;
    payloadBytes += requestBytes;
    openByPrincipal.put(principal, ofPrincipal + 1);
    return new Open(principal, requestBytes, nowNanos);
  }

  private static RefusedException busy(String what) {
    return new RefusedException(
        ErrorCode.BUSY,
        what + " wait for answers of nodes, and no more fit; nothing was done, try again");
  }

  /** Ends a request; false when it has ended before. */
  boolean end(Open one) {
    if (one.isEnded) {
      return false;
    }
    one.isEnded = true;
    open--;
    payloadBytes -= one.payloadBytes;
    openByPrincipal.computeIfPresent(
        one.principal, (unused, count) -> count > 1 ? count - 1 : null);
    return true;
  }

  /**
   * The memory of an arriving answer changes.
   *
   * @return whether it fits; when it does not, its connection has to end, and give the bytes back
   */
  boolean hold(int bytesBefore, int bytesNow) {
    answerBytes += bytesNow - bytesBefore;
    return bytesNow <= bytesBefore || payloadBytes + answerBytes <= BYTES_MAX;
  }

  /**
   * The node that a request is sent to next, after NOT_LEADER; empty when the caller gets
   * NOT_LEADER.
   *
   * @param asked the node that answered
   * @param leader the leader that it named
   */
  Optional<String> next(Open one, String asked, Optional<String> leader) {
    if (leader.isEmpty() || leader.get().equals(asked) || one.hops >= Forwarding.HOPS_MAX) {
      return Optional.empty();
    }
    one.hops++;
    return leader;
  }

  /** Open requests. */
  int open() {
    return open;
  }

  /** Bytes of open requests and arriving answers. */
  long bytes() {
    return payloadBytes + answerBytes;
  }
}
