package io.tunnel.sdk.testing;

import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds what a correct client never does with its channels. Sees each frame about a channel in the
 * order in which the frames pass between clients and engine. Holds that have ended are kept, to
 * tell a race from a mistake of the client.
 */
final class RulesCore {

  /** The default credit of a channel in the SDK's workers. */
  private static final long CREDIT_BYTES_DEFAULT = 1 << 20;

  /** Holds by their handles in sessions, of this process of the server. */
  private final Map<Integer, Hold> byHandle = new LinkedHashMap<>();

  /** Attachments by the handles of deliveries, of this process of the server. */
  private final Map<Integer, Attachment> byAttachment = new HashMap<>();

  /** Every channel and epoch that any session ever got, also before a crash. */
  private final Set<Given> given = new HashSet<>();

  private long creditBytesMax = CREDIT_BYTES_DEFAULT;

  /** The reason of a FENCE for a channel that was not given back in time. */
  private final String deadlineText;

  RulesCore(String deadlineText) {
    this.deadlineText = deadlineText;
  }

  /** A violation of a rule. */
  record Violation(Rule rule, String what) {}

  /** A channel under an epoch. */
  private record Given(String channelId, long epoch) {}

  /** A hold moves from HELD, perhaps by REVOKED, to one of the end states. */
  private enum State {
    /** The session holds the channel. */
    HELD,
    /** The session holds the channel, and was asked to give it back. */
    REVOKED,
    /** The worker gave the channel back. */
    GIVEN_BACK,
    /** The service took the channel; the worker may not know yet. */
    TAKEN,
    /** The test broke the channel; the worker was told, and will send a stop request, too. */
    BROKEN;

    boolean isHeld() {
      return this == HELD || this == REVOKED;
    }
  }

  /** The holding of a channel by one session under one epoch. */
  private static final class Hold {
    private final Assignment assigned;
    private final int connection;
    private State state = State.HELD;

    /** The last position that was delivered, or behind which the worker attached. */
    private long delivered;

    /** Where the channel is delivered now. */
    private Optional<Attachment> attachment = Optional.empty();

    Hold(Assignment assigned, int connection) {
      this.assigned = assigned;
      this.connection = connection;
      this.delivered = assigned.checkpointed();
    }

    void taken() {
      if (state.isHeld()) {
        state = State.TAKEN;
      }
    }
  }

  /** The delivery of a held channel to a connection. */
  private static final class Attachment {
    private final Hold hold;
    private final int handle;
    private final int connection;

    /** Unused credit in bytes; negative after a batch that is larger than the credit. */
    private long credit;

    Attachment(Hold hold, int handle, int connection) {
      this.hold = hold;
      this.handle = handle;
      this.connection = connection;
    }
  }

  /** Where a channel is delivered, or would be. */
  record Holder(
      int connection, String sessionId, int handle, long epoch, Optional<Delivered> delivered) {}

  /** The connection and the handle of deliveries. */
  record Delivered(int connection, int handle) {}

  void creditBytesMax(long bytes) {
    creditBytesMax = bytes;
  }

  /** A session on a connection gets a channel. */
  void assigned(int connection, Assignment assigned) {
    byHandle.put(assigned.handle(), new Hold(assigned, connection));
    given.add(new Given(assigned.channelId(), assigned.epoch()));
  }

  /** A session is asked to give a channel back. */
  void revoked(int handle) {
    Hold hold = byHandle.get(handle);
    if (hold != null && hold.state == State.HELD) {
      hold.state = State.REVOKED;
    }
  }

  /** A session is told that its channel was taken. */
  Optional<Violation> fenced(Fence fence) {
    Hold hold = byHandle.get(fence.handle());
    if (hold == null) {
      return Optional.empty();
    }
    boolean isLate = hold.state == State.REVOKED && fence.reason().equals(deadlineText);
    hold.taken();
    return isLate
        ? Optional.of(
            new Violation(
                Rule.REVOCATION,
                "channel "
                    + hold.assigned.channelId()
                    + " was not given back before its deadline by session "
                    + fence.sessionId()))
        : Optional.empty();
  }

  /** A session has ended without its worker. */
  void ended(String sessionId) {
    byHandle.values().stream()
        .filter(hold -> hold.assigned.sessionId().equals(sessionId))
        .forEach(Hold::taken);
  }

  /** The worker closes its session. */
  void closed(String sessionId) {
    byHandle.values().stream()
        .filter(hold -> hold.assigned.sessionId().equals(sessionId) && hold.state.isHeld())
        .forEach(hold -> hold.state = State.GIVEN_BACK);
  }

  /** A connection is lost, with its sessions and deliveries. */
  void disconnected(int connection) {
    for (Hold hold : byHandle.values()) {
      if (hold.connection == connection) {
        hold.taken();
      }
      if (hold.attachment.filter(to -> to.connection == connection).isPresent()) {
        hold.attachment = Optional.empty();
      }
    }
  }

  /** The server's process has died: the next one numbers its handles anew. */
  void crashed() {
    byHandle.clear();
    byAttachment.clear();
  }

  /** A client asks for the delivery of a channel. */
  Optional<Violation> attaches(Attach request) {
    return given.contains(new Given(request.channelId(), request.epoch()))
        ? Optional.empty()
        : Optional.of(
            new Violation(
                Rule.EPOCH,
                "an ATTACH to channel "
                    + request.channelId()
                    + " under epoch "
                    + request.epoch()
                    + ", which was never given"));
  }

  /** The channel of {@code request} is delivered to a connection from now on. */
  void attached(int connection, Attach request, int handle) {
    for (Hold hold : byHandle.values()) {
      if (hold.assigned.channelId().equals(request.channelId())
          && hold.assigned.epoch() == request.epoch()) {
        Attachment attachment = new Attachment(hold, handle, connection);
        byAttachment.put(handle, attachment);
        hold.attachment = Optional.of(attachment);
        hold.delivered = request.position();
      }
    }
  }

  /** The delivery under a handle has ended. */
  void detached(int handle) {
    Attachment attachment = byAttachment.get(handle);
    if (attachment != null && attachment.hold.attachment.equals(Optional.of(attachment))) {
      attachment.hold.attachment = Optional.empty();
    }
  }

  /** A client receives changes or rows up to {@code last}. */
  void delivered(int handle, int bytes, long last) {
    Attachment attachment = byAttachment.get(handle);
    if (attachment != null) {
      attachment.credit -= bytes;
      attachment.hold.delivered = Math.max(attachment.hold.delivered, last);
    }
  }

  /** A client gives credit. */
  Optional<Violation> credited(Credit credit) {
    Attachment attachment = byAttachment.get(credit.handle());
    if (attachment == null || attachment.hold.assigned.epoch() != credit.epoch()) {
      return Optional.of(
          new Violation(
              Rule.EPOCH,
              "a CREDIT for handle "
                  + credit.handle()
                  + " and epoch "
                  + credit.epoch()
                  + ", but no channel is attached under it"));
    }
    Hold hold = attachment.hold;
    if (hold.state == State.GIVEN_BACK) {
      return Optional.of(new Violation(Rule.EPOCH, afterReturn("CREDIT", hold)));
    }
    if (!hold.state.isHeld() || !hold.attachment.equals(Optional.of(attachment))) {
      return Optional.empty();
    }
    attachment.credit += credit.bytes();
    return attachment.credit <= creditBytesMax
        ? Optional.empty()
        : Optional.of(
            new Violation(
                Rule.CREDIT,
                "channel "
                    + hold.assigned.channelId()
                    + " was given "
                    + attachment.credit
                    + " bytes of unused credit, but a worker gives at most "
                    + creditBytesMax
                    + ": for a worker configured with more, call creditBytesMax"));
  }

  private static String afterReturn(String what, Hold hold) {
    return "a "
        + what
        + " for channel "
        + hold.assigned.channelId()
        + " under epoch "
        + hold.assigned.epoch()
        + " after the worker gave it back";
  }

  /** A client names a channel that its session holds. */
  Optional<Violation> named(String what, int handle, long epoch, int connection) {
    Hold hold = byHandle.get(handle);
    if (hold == null || hold.assigned.epoch() != epoch || hold.connection != connection) {
      return Optional.of(
          new Violation(
              Rule.EPOCH,
              "a "
                  + what
                  + " for handle "
                  + handle
                  + " and epoch "
                  + epoch
                  + ", which the connection never got"));
    }
    return hold.state == State.GIVEN_BACK
        ? Optional.of(new Violation(Rule.EPOCH, afterReturn(what, hold)))
        : Optional.empty();
  }

  /** A worker gives a channel back that {@link #named} found no fault with. */
  void givenBack(int handle) {
    Hold hold = byHandle.get(handle);
    if (hold != null && hold.state.isHeld()) {
      hold.state = State.GIVEN_BACK;
    }
  }

  /** Whether a worker stops a channel that the test broke, which the worker was told. */
  boolean isBroken(int handle, long epoch, int connection) {
    Hold hold = byHandle.get(handle);
    return hold != null
        && hold.assigned.epoch() == epoch
        && hold.connection == connection
        && hold.state == State.BROKEN;
  }

  /** The reason why a checkpoint is beyond what was delivered to the holder of its channel. */
  Optional<String> beyond(Checkpoint checkpoint) {
    return Optional.ofNullable(byHandle.get(checkpoint.handle()))
        .filter(hold -> hold.state.isHeld() && checkpoint.position() > hold.delivered)
        .map(
            hold ->
                "the checkpoint "
                    + checkpoint.position()
                    + " of channel "
                    + hold.assigned.channelId()
                    + " is beyond "
                    + hold.delivered
                    + ", the last position that was delivered");
  }

  /** The last position that was delivered of a channel; empty without a holder. */
  Optional<Long> delivered(String channelId) {
    return held(channelId).map(hold -> hold.delivered);
  }

  private Optional<Hold> held(String channelId) {
    return byHandle.values().stream()
        .filter(hold -> hold.state.isHeld() && hold.assigned.channelId().equals(channelId))
        .findFirst();
  }

  /** The test breaks a channel; returns whom to tell. */
  Optional<Holder> breaks(String channelId) {
    return held(channelId)
        .map(
            hold -> {
              Optional<Delivered> delivered =
                  hold.attachment.map(to -> new Delivered(to.connection, to.handle));
              hold.state = delivered.isPresent() ? State.BROKEN : State.TAKEN;
              hold.attachment = Optional.empty();
              return new Holder(
                  hold.connection,
                  hold.assigned.sessionId(),
                  hold.assigned.handle(),
                  hold.assigned.epoch(),
                  delivered);
            });
  }
}
