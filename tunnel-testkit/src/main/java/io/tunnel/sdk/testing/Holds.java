package io.tunnel.sdk.testing;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Credit;
import io.tunnel.wire.control.ClusterControl.Attach;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** All holds since the start of the service, including ended ones. */
final class Holds {

  private static final int EPOCH_BITS_OF_START = 32;

  private final Map<Integer, Hold> byHandle = new LinkedHashMap<>();

  /** Holds by the handle of their deliveries; each attach gets a new handle. */
  private final Map<Integer, Hold> byAttachment = new LinkedHashMap<>();

  private int handles;
  private final Violations violations;
  private long starts = 1;

  Holds(Violations violations) {
    this.violations = violations;
  }

  /** The lowest epoch of this start of the service; epochs of earlier starts are lower. */
  long epochBase() {
    return starts << EPOCH_BITS_OF_START;
  }

  long starts() {
    return starts;
  }

  void restarted() {
    starts++;
  }

  Hold open(MemoryChannel channel, MemorySession session, long epoch) {
    int handle = ++handles;
    Hold hold = new Hold(channel, session, handle, epoch);
    byHandle.put(handle, hold);
    return hold;
  }

  /**
   * Attaches a connection to a channel; returns the handle of the deliveries.
   *
   * @throws RefusedException FENCED when no session holds the channel under the epoch
   */
  int attach(Attach request, Peer peer) {
    Hold hold =
        byHandle.values().stream()
            .filter(each -> each.channel().id().equals(request.channelId()))
            .filter(each -> each.epoch() == request.epoch())
            .findFirst()
            .orElse(null);
    if (hold == null) {
      violations.add(
          Rule.EPOCH,
          "an ATTACH to channel "
              + request.channelId()
              + " under epoch "
              + request.epoch()
              + ", which was never given");
    } else if (hold.isHeld()) {
      int name = ++handles;
      byAttachment.put(name, hold);
      hold.attach(peer, name, request.position());
      return name;
    }
    throw new RefusedException(
        ErrorCode.FENCED,
        "channel "
            + request.channelId()
            + " is not held under epoch "
            + request.epoch()
            + " any more");
  }

  /** Whether a connection names a channel that was stopped because it cannot be read. */
  boolean isUnreadable(int handle, long epoch, Peer peer) {
    Hold hold = byHandle.get(handle);
    return hold != null
        && hold.epoch() == epoch
        && hold.session().peer() == peer
        && hold.state() == Hold.State.UNREADABLE;
  }

  /** The hold that a connection gives credit to; credit for a taken channel is ignored. */
  Optional<Hold> credited(Credit credit, Peer peer) {
    Hold hold = byAttachment.get(credit.handle());
    if (hold == null || hold.epoch() != credit.epoch()) {
      violations.add(
          Rule.EPOCH,
          "a CREDIT for handle "
              + credit.handle()
              + " and epoch "
              + credit.epoch()
              + ", but no channel is attached under it");
    } else if (hold.state() == Hold.State.GIVEN_BACK) {
      violations.add(
          Rule.EPOCH,
          "a CREDIT for channel "
              + hold.channel().id()
              + " under epoch "
              + hold.epoch()
              + " after the worker gave it back");
    }
    return attached(credit.handle(), peer);
  }

  /** The hold that is delivered to a connection under a handle, if still attached. */
  Optional<Hold> attached(int name, Peer peer) {
    return Optional.ofNullable(byAttachment.get(name))
        .filter(hold -> hold.isHeld() && hold.isAttached(peer, name));
  }

  /**
   * The hold of a handle and an epoch.
   *
   * @throws RefusedException FENCED when the connection's session does not hold the channel
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
              + ", which the connection never got");
    } else if (hold.state() == Hold.State.GIVEN_BACK) {
      violations.add(
          Rule.EPOCH,
          "a "
              + what
              + " for channel "
              + hold.channel().id()
              + " under epoch "
              + epoch
              + " after the worker gave it back");
    } else if (hold.isHeld()) {
      return hold;
    }
    throw new RefusedException(
        ErrorCode.FENCED,
        "the channel with handle " + handle + " is not held under epoch " + epoch + " any more");
  }
}
