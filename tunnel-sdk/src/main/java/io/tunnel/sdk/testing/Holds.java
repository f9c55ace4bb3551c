package io.tunnel.sdk.testing;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Credit;
import io.tunnel.wire.control.ClusterControl.Attach;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Every hold that there ever was, by the handle that the connection knows it by. */
final class Holds {

  private static final int EPOCH_BITS_OF_START = 32;

  private final Map<Integer, Hold> byHandle = new LinkedHashMap<>();

  /** By the name that deliveries have; one that is attached to again gets another. */
  private final Map<Integer, Hold> byAttachment = new LinkedHashMap<>();

  private int handles;
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
    int handle = ++handles;
    Hold hold = new Hold(channel, session, handle, epochBase() + ++epochs);
    byHandle.put(handle, hold);
    return hold;
  }

  /**
   * Lets a connection have what is delivered of a channel; says under which name.
   *
   * @throws RefusedException FENCED when nobody holds it, or no longer, under that epoch
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
    } else if (hold.state() == Hold.State.HELD) {
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

  /** Whether a connection speaks of a channel that was stopped because it cannot be read. */
  boolean isUnreadable(int handle, long epoch, Peer peer) {
    Hold hold = byHandle.get(handle);
    return hold != null
        && hold.epoch() == epoch
        && hold.session().peer() == peer
        && hold.state() == Hold.State.UNREADABLE;
  }

  /** The hold that a connection gives credit to; of one that was taken it is ignored. */
  Optional<Hold> credited(Credit credit, Peer peer) {
    Hold hold = byAttachment.get(credit.handle());
    if (hold == null || hold.epoch() != credit.epoch()) {
      violations.add(
          Rule.EPOCH,
          "a CREDIT for handle "
              + credit.handle()
              + " and epoch "
              + credit.epoch()
              + ", which nothing was attached to");
    } else if (hold.state() == Hold.State.GIVEN_BACK) {
      violations.add(
          Rule.EPOCH,
          "a CREDIT for channel "
              + hold.channel().id()
              + " under epoch "
              + hold.epoch()
              + " after the worker had given it back");
    }
    return attached(credit.handle(), peer);
  }

  /** The hold that is delivered to a connection under that name, if it still is. */
  Optional<Hold> attached(int name, Peer peer) {
    return Optional.ofNullable(byAttachment.get(name))
        .filter(hold -> hold.state() == Hold.State.HELD && hold.isAttached(peer, name));
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
