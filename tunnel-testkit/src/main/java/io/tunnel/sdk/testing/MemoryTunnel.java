package io.tunnel.sdk.testing;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.core.StopReason;
import io.tunnel.core.TunnelCore;
import io.tunnel.core.TunnelEffect;
import io.tunnel.core.TunnelEffect.OverReason;
import io.tunnel.core.TunnelEffect.TakeReason;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.testing.table.MemoryTable;
import io.tunnel.sdk.testing.table.VirtualTime;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control.SessionDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
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
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A tunnel: its channels and its sessions. The server's {@link TunnelCore} decides which session
 * holds which channel. This class stores the states of the channels, passes the time, and carries
 * out the core's effects: it tells the workers.
 */
final class MemoryTunnel {

  /** The deadline of a worker to give a channel back. */
  static final Duration REVOKE_DEADLINE = Duration.ofSeconds(5);

  private final TunnelInfo info;
  private final MemoryTable table;
  private final NavigableMap<ChannelKey, MemoryChannel> channels = new TreeMap<>();
  private final Holds holds;
  private final VirtualTime time;
  private final Violations violations;
  private final Map<String, MemorySession> sessions = new LinkedHashMap<>();
  private final Deque<SkippedChange> skipped = new ArrayDeque<>();
  private long skippedCount;
  private boolean isPaused;
  private TunnelCore core;

  MemoryTunnel(
      TunnelInfo info,
      MemoryTable table,
      List<MemoryChannel> channels,
      Holds holds,
      VirtualTime time,
      Violations violations) {
    this.info = info;
    this.table = table;
    this.holds = holds;
    this.time = time;
    this.violations = violations;
    channels.forEach(channel -> this.channels.put(channel.key(), channel));
    this.core = newCore();
    settle();
  }

  private TunnelCore newCore() {
    NavigableMap<ChannelKey, ChannelState> states = new TreeMap<>();
    Map<ChannelKey, List<ChannelKey>> waitsFor = new LinkedHashMap<>();
    channels.forEach(
        (key, channel) -> {
          states.put(key, channel.state());
          ChannelKey base = ChannelKey.base(key.partition());
          if (key.type() == ChannelType.Stream && channels.containsKey(base)) {
            waitsFor.put(key, List.of(base));
          }
        });
    return new TunnelCore(states, waitsFor, isPaused, holds.epochBase(), REVOKE_DEADLINE.toNanos());
  }

  TunnelInfo info() {
    return info;
  }

  MemoryTable table() {
    return table;
  }

  Collection<MemoryChannel> channels() {
    return channels.values();
  }

  List<MemorySession> sessions() {
    return List.copyOf(sessions.values());
  }

  MemoryChannel channel(String channelId) {
    return channels.values().stream()
        .filter(channel -> channel.id().equals(channelId))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no channel " + channelId));
  }

  private long nowNanos() {
    return TimeUnit.MICROSECONDS.toNanos(time.micros());
  }

  void open(MemorySession session) {
    sessions.put(session.id(), session);
    apply(
        core.open(
            session.id(),
            session.request().clientTag(),
            TimeUnit.MILLISECONDS.toNanos(session.request().leaseMs()),
            session.request().maxChannels(),
            nowNanos()));
  }

  /** The worker renews the lease of its session. */
  void renew(MemorySession session) {
    core.heartbeat(session.id(), nowNanos());
  }

  /** The worker ends its session. */
  void close(MemorySession session) {
    holdsOf(session).forEach(hold -> hold.over(Hold.State.GIVEN_BACK));
    end(session, OverReason.CLOSED);
  }

  /** Ends a session, and tells its worker if the worker cannot know. */
  void end(MemorySession session, OverReason reason) {
    apply(core.end(List.of(session.id()), reason, nowNanos()));
  }

  /** Ends all sessions of a connection. */
  void disconnected(Peer peer) {
    List<String> ended =
        sessions.values().stream()
            .filter(session -> session.peer() == peer)
            .map(MemorySession::id)
            .toList();
    apply(core.end(ended, OverReason.DISCONNECTED, nowNanos()));
  }

  /** The tunnel was deleted: ends all its sessions. */
  void deleted() {
    String reason = "tunnel " + info.tunnel() + " was deleted";
    for (MemoryChannel channel : channels.values()) {
      channel.hold().ifPresent(hold -> fence(hold, reason));
      channel.taken();
    }
    for (MemorySession session : sessions.values()) {
      session
          .peer()
          .push(
              Operation.SESSION_END,
              new SessionEnd(session.id(), ErrorCode.TUNNEL_NOT_FOUND, reason));
    }
    sessions.clear();
  }

  private List<Hold> holdsOf(MemorySession session) {
    return channels.values().stream()
        .flatMap(channel -> channel.hold().stream())
        .filter(hold -> hold.session().equals(session))
        .toList();
  }

  /** The worker gives a channel back. */
  void release(Hold hold) {
    hold.over(Hold.State.GIVEN_BACK);
    apply(core.release(hold.session().id(), hold.channel().key(), hold.epoch(), nowNanos()));
  }

  /** The worker stops a channel that it cannot process, until the channel is resumed. */
  void stop(Hold hold, StopReason why) {
    hold.over(Hold.State.GIVEN_BACK);
    stop(hold.channel(), why);
  }

  /** Stops a channel that cannot be read, and tells its holder. */
  void fail(MemoryChannel channel, RefusedException reason) {
    channel
        .hold()
        .ifPresent(
            hold -> {
              if (hold.refuse(reason)) {
                hold.over(Hold.State.UNREADABLE);
              } else {
                hold.over(Hold.State.TAKEN);
                fence(hold, reason.getMessage());
              }
            });
    stop(channel, StopReason.of(reason.code() + ": " + reason.getMessage()));
  }

  private void stop(MemoryChannel channel, StopReason why) {
    ChannelState state = channel.state().withStop(Optional.of(why));
    channel.store(state);
    Optional<Hold> hold = channel.hold();
    apply(
        hold.isPresent()
            ? core.stop(
                hold.get().session().id(),
                channel.key(),
                hold.get().epoch(),
                why.error(),
                nowNanos())
            : core.update(Map.of(channel.key(), state), nowNanos()));
  }

  /** Notes which channels of a session are retried; all other channels of the session are not. */
  void retry(MemorySession session, List<RetryingChannel> retrying) {
    for (Hold hold : holdsOf(session)) {
      hold.retry(
          retrying.stream()
              .filter(each -> each.handle() == hold.handle() && each.epoch() == hold.epoch())
              .map(RetryingChannel::retry)
              .findFirst());
    }
  }

  /**
   * Stores the progress of a channel.
   *
   * @param passed changes up to {@code position} that the worker left out
   * @throws RefusedException INVALID_CHECKPOINT for a position that was not delivered, or lies
   *     before the stored one
   */
  void checkpoint(Hold hold, long position, List<Skip> passed) {
    MemoryChannel channel = hold.channel();
    try {
      var unused =
          core.mayCheckpoint(
              hold.session().id(), channel.key(), hold.epoch(), position, hold.delivered());
    } catch (RefusedException e) {
      violations.add(Rule.CHECKPOINT, e.getMessage());
      throw e;
    }
    skip(channel, passed);
    channel.store(channel.state().withProgress(position, channel.source().keyAt(position)));
    core.checkpointed(channel.key(), position);
  }

  /** Notes skipped changes of a checkpoint; keeps the last ones. */
  private void skip(MemoryChannel channel, List<Skip> passed) {
    long nowMs = time.ms();
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

  /** An operator pauses or resumes the tunnel as a whole. */
  void pause(boolean isPausedNow) {
    isPaused = isPausedNow;
    apply(core.pause(isPausedNow, nowNanos()));
  }

  /** An operator pauses or resumes channels. */
  void update(Collection<MemoryChannel> chosen, UnaryOperator<ChannelState> change) {
    NavigableMap<ChannelKey, ChannelState> states = new TreeMap<>();
    for (MemoryChannel channel : chosen) {
      channel.store(change.apply(channel.state()));
      states.put(channel.key(), channel.state());
    }
    apply(core.update(states, nowNanos()));
  }

  /** An operator moved channels, and stored their {@code states}. */
  void moved(Map<ChannelKey, ChannelState> states) {
    apply(core.seek(states, nowNanos()));
  }

  /** Takes a channel from its holder, as an operator does who moves it to where it is. */
  void fence(MemoryChannel channel) {
    ChannelState state = channel.state();
    moved(Map.of(channel.key(), channel.moveTo(state.checkpointed(), state.key(), state.end())));
  }

  /** Whether every runnable channel has a holder, and no channel is being moved. */
  boolean isSettled() {
    return core.view().stream()
        .noneMatch(
            channel ->
                channel.status() == ChannelStatus.CLOSING
                    || (channel.status() == ChannelStatus.WAIT
                        && !channel.isPaused()
                        && channel.error().isEmpty()
                        && channel.waitsFor().isEmpty()));
  }

  /** Whether all present changes are processed. */
  boolean isProcessed() {
    return channels.values().stream().allMatch(MemoryChannel::isProcessed);
  }

  /** Ends sessions and holds whose lease or deadline has passed. */
  void tick() {
    apply(core.tick(nowNanos(), true));
  }

  /** Crashes with the server: sessions are gone, and later epochs are above all former ones. */
  void crashed() {
    sessions.clear();
    channels.values().forEach(MemoryChannel::crashed);
    core = newCore();
    apply(core.start());
    settle();
  }

  /** Stores the ends of streams whose time has come. */
  void settle() {
    for (MemoryChannel channel : channels.values()) {
      OptionalLong last = channel.source().end();
      if (channel.type() == ChannelType.Stream
          && channel.state().end().isEmpty()
          && last.isPresent()) {
        long end = Math.max(last.getAsLong(), channel.checkpointed());
        channel.store(channel.state().withEnd(Optional.of(end), false));
        apply(core.endKnown(channel.key(), end, nowNanos()));
      }
    }
  }

  /** Delivers to all holders as much as they have given credit for. */
  void pump() {
    for (MemoryChannel channel : channels.values()) {
      OptionalLong end = channel.hold().map(Hold::pump).orElse(OptionalLong.empty());
      if (end.isPresent() && channel.type() == ChannelType.BaseData) {
        apply(core.endKnown(channel.key(), end.getAsLong(), nowNanos()));
      }
    }
  }

  private void apply(List<TunnelEffect> effects) {
    for (TunnelEffect effect : effects) {
      if (effect instanceof TunnelEffect.Assign assign) {
        assign(assign);
      } else if (effect instanceof TunnelEffect.Revoke revoke) {
        revoke(channels.get(revoke.channel()).hold().orElseThrow());
      } else if (effect instanceof TunnelEffect.Take take) {
        take(channels.get(take.channel()), take.reason());
      } else if (effect instanceof TunnelEffect.Finish finish) {
        MemoryChannel channel = channels.get(finish.channel());
        channel.store(
            channel.state().withEnd(Optional.of(finish.end()), true).withStop(Optional.empty()));
      } else if (effect instanceof TunnelEffect.SessionOver over) {
        over(sessions.remove(over.sessionId()), over.reason());
      }
    }
  }

  private void assign(TunnelEffect.Assign assign) {
    MemoryChannel channel = channels.get(assign.channel());
    MemorySession session = sessions.get(assign.sessionId());
    Hold hold = holds.open(channel, session, assign.epoch());
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
                assign.checkpointed(),
                channel.type()));
  }

  private static void revoke(Hold hold) {
    hold.over(Hold.State.REVOKED);
    hold.session()
        .peer()
        .push(
            Operation.REVOKE,
            new Revocation(
                hold.session().id(), hold.handle(), hold.epoch(), REVOKE_DEADLINE.toMillis()));
  }

  private void take(MemoryChannel channel, TakeReason reason) {
    Hold hold = channel.hold().orElseThrow();
    channel.taken();
    if (reason == TakeReason.DEADLINE) {
      violations.add(
          Rule.REVOCATION,
          "channel "
              + channel.id()
              + " was not given back within "
              + REVOKE_DEADLINE
              + " by session "
              + hold.session().id());
    }
    if (reason.isFenced()) {
      fence(hold, reason.text());
    }
  }

  private static void fence(Hold hold, String reason) {
    hold.session()
        .peer()
        .push(Operation.FENCE, new Fence(hold.session().id(), hold.handle(), hold.epoch(), reason));
  }

  private static void over(MemorySession session, OverReason reason) {
    if (reason.taken().isFenced()) {
      session
          .peer()
          .push(
              Operation.SESSION_END,
              new SessionEnd(
                  session.id(), ErrorCode.SESSION_ENDED, "the session ended: " + reason.text()));
    }
  }

  TunnelDescription describe() {
    List<SessionDescription> described = new ArrayList<>();
    for (TunnelCore.SessionView session : core.sessions(nowNanos())) {
      described.add(
          new SessionDescription(
              session.sessionId(),
              session.clientTag(),
              session.channels(),
              session.channelsMax(),
              TimeUnit.NANOSECONDS.toMillis(session.leaseLeftNanos())));
    }
    return new TunnelDescription(
        info,
        core.view().stream()
            .map(view -> channels.get(view.key()).describe(view, time.micros()))
            .toList(),
        isPaused,
        described,
        new Skipped(skippedCount, List.copyOf(skipped)));
  }
}
