package io.tunnel.sdk.testing;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.testing.table.MemoryTable;
import io.tunnel.sdk.testing.table.VirtualTime;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control.SessionDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.FailedChange;
import io.tunnel.wire.control.FailureControl.RetryingChannel;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.FailureControl.Skipped;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A tunnel: its channels, its sessions, and the assignment of channels to sessions. After each
 * event, {@link #settle} restores the order: finished channels end, paused channels are asked back,
 * free channels are assigned, and a session with too many channels is asked to give some back.
 */
final class MemoryTunnel {

  /** The deadline of a worker to give a channel back. */
  static final Duration REVOKE_DEADLINE = Duration.ofSeconds(5);

  private final TunnelInfo info;
  private final MemoryTable table;
  private final List<MemoryChannel> channels;
  private final Holds holds;
  private final VirtualTime time;
  private final Violations violations;
  private final Map<String, MemorySession> sessions = new LinkedHashMap<>();
  private final Deque<SkippedChange> skipped = new ArrayDeque<>();
  private long skippedCount;
  private boolean isPaused;

  MemoryTunnel(
      TunnelInfo info,
      MemoryTable table,
      List<MemoryChannel> channels,
      Holds holds,
      VirtualTime time,
      Violations violations) {
    this.info = info;
    this.table = table;
    this.channels = channels;
    this.holds = holds;
    this.time = time;
    this.violations = violations;
    settle();
  }

  TunnelInfo info() {
    return info;
  }

  MemoryTable table() {
    return table;
  }

  List<MemoryChannel> channels() {
    return channels;
  }

  List<MemorySession> sessions() {
    return List.copyOf(sessions.values());
  }

  boolean hasSession(String sessionId) {
    return sessions.containsKey(sessionId);
  }

  void open(MemorySession session) {
    sessions.put(session.id(), session);
    settle();
  }

  /** The worker ends its session. */
  void close(MemorySession session) {
    over(session, Hold.State.GIVEN_BACK);
    settle();
  }

  /** Ends a session against its worker's will; tells the worker if it is connected. */
  void end(MemorySession session, ErrorCode code, String reason) {
    over(session, Hold.State.TAKEN);
    session.peer().push(Operation.SESSION_END, new SessionEnd(session.id(), code, reason));
    settle();
  }

  private void over(MemorySession session, Hold.State how) {
    sessions.remove(session.id());
    channels.stream().filter(channel -> channel.isHeldBy(session)).forEach(held -> held.taken(how));
  }

  /** The worker gives a channel back. */
  void release(Hold hold) {
    hold.channel().taken(Hold.State.GIVEN_BACK);
    settle();
  }

  /** Stops a channel that its worker cannot process, until it is resumed. */
  void stop(Hold hold, String error, Optional<FailedChange> at) {
    hold.channel().stop(error, at);
    release(hold);
  }

  /** Notes which channels of a session are retried; all other channels of the session are not. */
  void retry(MemorySession session, List<RetryingChannel> retrying) {
    for (MemoryChannel channel : channels) {
      if (channel.isHeldBy(session)) {
        Hold hold = channel.hold().orElseThrow();
        channel.retry(
            retrying.stream()
                .filter(each -> each.handle() == hold.handle() && each.epoch() == hold.epoch())
                .map(RetryingChannel::retry)
                .findFirst());
      }
    }
  }

  /** Notes skipped changes of a checkpoint; keeps the last ones. */
  void skip(MemoryChannel channel, List<Skip> passed) {
    long nowMs = TimeUnit.MICROSECONDS.toMillis(time.micros());
    for (Skip skip : passed) {
      if (skip.position() > channel.checkpointed()) {
        keep(
            new SkippedChange(
                channel.partition().id(),
                channel.type(),
                skip.position(),
                skip.key(),
                skip.error(),
                nowMs));
      }
    }
  }

  private void keep(SkippedChange change) {
    boolean isKnown =
        skipped.removeIf(
            kept ->
                kept.partition() == change.partition()
                    && kept.type() == change.type()
                    && kept.position() == change.position());
    skippedCount += isKnown ? 0 : 1;
    skipped.add(change);
    if (skipped.size() > Skipped.LAST_MAX) {
      skipped.remove();
    }
  }

  /** Takes a channel from its holder, and tells the holder the reason. */
  void fence(MemoryChannel channel, String reason) {
    channel
        .hold()
        .ifPresent(
            hold -> {
              channel.taken(Hold.State.TAKEN);
              hold.session()
                  .peer()
                  .push(
                      Operation.FENCE,
                      new Fence(hold.session().id(), hold.handle(), hold.epoch(), reason));
            });
  }

  /** Stops a channel that cannot be read, and tells its holder. */
  void fail(MemoryChannel channel, RefusedException reason) {
    channel.stop(reason.code() + ": " + reason.getMessage(), Optional.empty());
    boolean isTold = channel.hold().map(hold -> hold.refuse(reason)).orElse(false);
    if (isTold) {
      channel.taken(Hold.State.UNREADABLE);
    } else {
      fence(channel, reason.getMessage());
    }
    settle();
  }

  MemoryChannel channel(String channelId) {
    return channels.stream()
        .filter(channel -> channel.id().equals(channelId))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no channel " + channelId));
  }

  /** Whether every runnable channel has a holder, and no channel is being moved. */
  boolean isSettled() {
    return channels.stream()
        .allMatch(
            channel ->
                channel.status() == ChannelStatus.OPEN
                    || (channel.status() != ChannelStatus.CLOSING && !isWanted(channel)));
  }

  /** Whether all present changes are processed. */
  boolean isProcessed() {
    return channels.stream().allMatch(MemoryChannel::isProcessed);
  }

  void pause(boolean paused) {
    isPaused = paused;
  }

  /** Ends sessions and holdings whose lease or deadline has passed. */
  void tick() {
    long now = time.micros();
    for (MemorySession session : sessions()) {
      if (session.hasExpired(now)) {
        session.expire();
      }
    }
    for (MemoryChannel channel : channels) {
      if (channel.isOverdue(now)) {
        violations.add(
            Rule.REVOCATION,
            "channel "
                + channel.id()
                + " was not given back within "
                + REVOKE_DEADLINE
                + " by session "
                + channel.hold().map(hold -> hold.session().id()).orElse("?"));
        fence(channel, "it was not given back before the deadline");
      }
    }
    settle();
  }

  /** Crashes with the server: sessions are gone, and later epochs are above all former ones. */
  void crashed() {
    sessions.clear();
    channels.forEach(channel -> channel.crashed(holds.epochBase()));
    settle();
  }

  /** Finishes, asks back, assigns and balances channels, then delivers. */
  void settle() {
    boolean hasFinished = true;
    while (hasFinished) {
      hasFinished = false;
      for (MemoryChannel channel : channels) {
        hasFinished |= channel.finish();
      }
    }
    for (MemoryChannel channel : channels) {
      if (channel.status() == ChannelStatus.OPEN && !isWanted(channel)) {
        revoke(channel);
      } else if (channel.status() == ChannelStatus.WAIT && isWanted(channel)) {
        Spread.fewest(sessions(), this::held).ifPresent(session -> assign(channel, session));
      }
    }
    Spread.tooMany(sessions(), channels, this::isWanted).forEach(this::revoke);
  }

  private boolean isWanted(MemoryChannel channel) {
    return !isPaused && channel.isWanted();
  }

  /** How many channels a session holds, including channels that it was asked to give back. */
  private int held(MemorySession session) {
    return (int) channels.stream().filter(channel -> channel.isHeldBy(session)).count();
  }

  /**
   * Gives a channel back to the session that just lost it to a seek, if channel and session may go
   * on.
   */
  void assignAgain(MemoryChannel channel, MemorySession session) {
    if (channel.status() == ChannelStatus.WAIT && isWanted(channel) && hasSession(session.id())) {
      assign(channel, session);
    }
  }

  private void assign(MemoryChannel channel, MemorySession session) {
    Hold hold = holds.open(channel, session);
    channel.assigned(hold);
    session
        .peer()
        .push(
            Operation.ASSIGN,
            new Assignment(
                session.id(),
                channel.id(),
                channel.partition().id(),
                hold.handle(),
                hold.epoch(),
                channel.checkpointed(),
                channel.type()));
  }

  private void revoke(MemoryChannel channel) {
    Hold hold = channel.hold().orElseThrow();
    channel.revoked(time.micros() + REVOKE_DEADLINE.toNanos() / 1_000);
    hold.session()
        .peer()
        .push(
            Operation.REVOKE,
            new Revocation(
                hold.session().id(), hold.handle(), hold.epoch(), REVOKE_DEADLINE.toMillis()));
  }

  TunnelDescription describe() {
    long now = time.micros();
    List<SessionDescription> described = new ArrayList<>();
    for (MemorySession session : sessions()) {
      described.add(
          new SessionDescription(
              session.id(),
              session.clientTag(),
              held(session),
              session.channelsMax(),
              session.leaseLeftMs(now)));
    }
    return new TunnelDescription(
        info,
        channels.stream().map(channel -> channel.describe(now, isPaused)).toList(),
        isPaused,
        described,
        new Skipped(skippedCount, List.copyOf(skipped)));
  }
}
