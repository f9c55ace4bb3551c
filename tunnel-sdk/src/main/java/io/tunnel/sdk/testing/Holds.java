package io.tunnel.sdk.testing;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Every hold that there ever was, by the handle that the connection knows it by. */
final class Holds {

  private static final int EPOCH_BITS_OF_START = 32;

  private final Map<Integer, Hold> byHandle = new LinkedHashMap<>();
  private final Violations violations;
  private long starts = 1;
  private long epochs;

  Holds(Violations violations) {
    this.violations = violations;
  }

  /** Every later epoch is higher. */
  long epochBase() {
    return starts << EPOCH_BITS_OF_START;
  }

  long starts() {
    return starts;
  }

  void restarted() {
    starts++;
    epochs = 0;
  }

  Hold open(MemoryChannel channel, MemorySession session) {
    int handle = byHandle.size() + 1;
    Hold hold = new Hold(channel, session, handle, epochBase() + ++epochs);
    byHandle.put(handle, hold);
    return hold;
  }

  /**
   * The hold that a connection means.
   *
   * @throws RefusedException FENCED when it is not, or no longer, the connection's
   */
  Hold require(int handle, long epoch, Peer peer, String what) {
    Hold hold = byHandle.get(handle);
    if (hold == null || hold.epoch() != epoch || hold.session().peer() != peer) {
      violations.add(
          Rule.EPOCH,
          "a "
              + what
              + " for handle "
              + handle
              + " and epoch "
              + epoch
              + ", which were never given to that connection");
    } else if (hold.state() == Hold.State.GIVEN_BACK) {
      violations.add(
          Rule.EPOCH,
          "a "
              + what
              + " for channel "
              + hold.channel().id()
              + " under epoch "
              + epoch
              + " after the worker had given it back");
    } else if (hold.state() == Hold.State.HELD) {
      return hold;
    }
    throw new RefusedException(
        ErrorCode.FENCED,
        "the channel with handle " + handle + " is not held under epoch " + epoch + " any more");
  }
}
