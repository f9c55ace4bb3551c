package io.tunnel.server.session;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.tunnel.ChannelKey;
import io.tunnel.server.catalog.tunnel.ChannelState;
import io.tunnel.server.session.TunnelEffect.OverReason;
import io.tunnel.server.session.TunnelEffect.TakeReason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Who holds the channels of one tunnel, and how far each has come.
 *
 * <p>A channel is WAIT (nobody holds it), OPEN (a session does), CLOSING (its session was asked to
 * give it back) or TERMINATED (everything up to its end was processed). It is given to a session
 * only when it is not paused, has no error, and all channels that it waits for are TERMINATED; when
 * one of these ceases to hold while it is OPEN, it is asked for. Every assignment has an epoch
 * higher than all before it; what arrives under another epoch than the channel's is FENCED. A
 * channel leaves CLOSING when its session releases it, ends, or lets the deadline pass; the next
 * holder starts behind the last checkpoint, so a graceful move delivers nothing twice and any other
 * at most what came after that checkpoint. As long as it is not known whether a checkpoint was
 * stored, nobody else gets the channel: the next holder would begin before it and the one after
 * that behind it, and changes in between would be missing behind those that came again.
 *
 * <p>Every method returns what is to be done, and what changes by an operator's word or a failure
 * is stored before the method is called. Time is given in nanoseconds of a clock that never goes
 * back.
 */
final class TunnelCore {

  private final long revokeNanos;
  private final NavigableMap<ChannelKey, Held> channels = new TreeMap<>();
  private final Set<Held> closing = new LinkedHashSet<>();

  /** Of which it is not known whether more is stored than {@link Held#checkpointed}. */
  private final Set<Held> inDoubt = new LinkedHashSet<>();

  private final Map<String, Session> sessions = new LinkedHashMap<>();
  private boolean isPaused;
  private long lastEpoch;

  private static final class Session {
    private final String id;
    private final String clientTag;
    private final long leaseNanos;
    private final int channelsMax;
    private final Set<Held> held = new LinkedHashSet<>();
    private long deadlineNanos;
    private int leaving;

    Session(String id, String clientTag, long leaseNanos, int channelsMax) {
      this.id = id;
      this.clientTag = clientTag;
      this.leaseNanos = leaseNanos;
      this.channelsMax = channelsMax;
    }
  }

  private static final class Held {
    private final ChannelKey key;
    private final List<Held> waitsFor = new ArrayList<>();
    private ChannelStatus status;
    private Session owner;
    private long epoch;
    private long closingDeadlineNanos;
    private long checkpointed;
    private Optional<Long> end;
    private boolean isPaused;
    private Optional<String> error;

    Held(ChannelKey key, ChannelState state, long epoch) {
      this.key = key;
      this.epoch = epoch;
      this.status = state.isFinished() ? ChannelStatus.TERMINATED : ChannelStatus.WAIT;
      this.checkpointed = state.checkpointed();
      this.end = state.end();
      this.isPaused = state.isPaused();
      this.error = state.error();
    }

    boolean isAtEnd() {
      return end.isPresent() && end.get() == checkpointed;
    }

    boolean isReady() {
      return waitsFor.stream().allMatch(other -> other.status == ChannelStatus.TERMINATED);
    }
  }

  /**
   * A channel as it is now.
   *
   * @param isPaused whether it or its tunnel is
   * @param waitsFor the channels that have to be TERMINATED first and are not
   */
  record View(
      ChannelKey key,
      ChannelStatus status,
      Optional<String> owner,
      Optional<String> clientTag,
      long epoch,
      long checkpointed,
      Optional<Long> end,
      boolean isPaused,
      Optional<String> error,
      List<ChannelKey> waitsFor) {}

  /** A session as it is now. */
  record SessionView(
      String sessionId, String clientTag, int channels, int channelsMax, long leaseLeftNanos) {}

  /**
   * A tunnel that nobody holds.
   *
   * @param waitsFor the channels that have to be TERMINATED before each, if there are any
   * @param epochBase every epoch is higher
   * @param revokeNanos how long a session has to give a channel back
   */
  TunnelCore(
      Map<ChannelKey, ChannelState> states,
      Map<ChannelKey, List<ChannelKey>> waitsFor,
      boolean isPaused,
      long epochBase,
      long revokeNanos) {
    this.lastEpoch = epochBase;
    this.revokeNanos = revokeNanos;
    this.isPaused = isPaused;
    states.forEach((key, state) -> channels.put(key, new Held(key, state, epochBase)));
    waitsFor.forEach(
        (key, others) -> others.forEach(other -> require(key).waitsFor.add(require(other))));
  }

  /** What a crash left undone: channels at their ends are finished. */
  List<TunnelEffect> start() {
    List<TunnelEffect> effects = new ArrayList<>();
    finish(effects);
    return effects;
  }

  /** A session begins. */
  List<TunnelEffect> open(
      String sessionId, String clientTag, long leaseNanos, int channelsMax, long nowNanos) {
    Session session = new Session(sessionId, clientTag, leaseNanos, channelsMax);
    session.deadlineNanos = nowNanos + leaseNanos;
    if (sessions.putIfAbsent(sessionId, session) != null) {
      throw new IllegalStateException("session " + sessionId + " is open already");
    }
    return rebalance(new ArrayList<>(), nowNanos);
  }

  /** A session lives on. */
  void heartbeat(String sessionId, long nowNanos) {
    Session session = sessions.get(sessionId);
    if (session == null) {
      throw new RefusedException(
          ErrorCode.SESSION_ENDED, "session " + sessionId + " has ended; open a new one");
    }
    session.deadlineNanos = nowNanos + session.leaseNanos;
  }

  /** Sessions end together; nothing happens of those that have ended before. */
  List<TunnelEffect> end(List<String> sessionIds, OverReason reason, long nowNanos) {
    List<TunnelEffect> effects = new ArrayList<>();
    for (String sessionId : sessionIds) {
      Session session = sessions.get(sessionId);
      if (session != null) {
        over(session, reason, effects);
      }
    }
    return effects.isEmpty() ? effects : rebalance(effects, nowNanos);
  }

  /**
   * Time has passed: leases and deadlines end.
   *
   * @param isCertain whether it is known of all progress if it was stored
   */
  List<TunnelEffect> tick(long nowNanos, boolean isCertain) {
    boolean isKnownNow = isCertain && !inDoubt.isEmpty();
    if (isKnownNow) {
      inDoubt.clear();
    }
    List<TunnelEffect> effects = new ArrayList<>();
    List<Session> expired =
        sessions.values().stream()
            .filter(session -> nowNanos - session.deadlineNanos >= 0)
            .toList();
    expired.forEach(session -> over(session, OverReason.LEASE, effects));
    List<Held> overdue =
        closing.stream().filter(channel -> nowNanos - channel.closingDeadlineNanos >= 0).toList();
    overdue.forEach(channel -> take(channel, TakeReason.DEADLINE, effects));
    return effects.isEmpty() && !isKnownNow ? effects : rebalance(effects, nowNanos);
  }

  /** The holder gives a channel back; if it was not asked to, it may get it again. */
  List<TunnelEffect> release(String sessionId, ChannelKey key, long epoch, long nowNanos) {
    List<TunnelEffect> effects = new ArrayList<>();
    take(requireHolder(sessionId, key, epoch), TakeReason.RELEASED, effects);
    return rebalance(effects, nowNanos);
  }

  /**
   * The holder cannot go on with a channel: nobody gets it until it is resumed. One that was
   * processed up to its end is finished all the same.
   */
  List<TunnelEffect> stop(
      String sessionId, ChannelKey key, long epoch, String error, long nowNanos) {
    Held channel = requireHolder(sessionId, key, epoch);
    List<TunnelEffect> effects = new ArrayList<>();
    channel.error = Optional.of(error);
    take(channel, TakeReason.STOPPED, effects);
    return rebalance(effects, nowNanos);
  }

  /**
   * Whether the holder may store this progress.
   *
   * @param delivered position of the last change that was delivered to it
   * @return whether it is news
   */
  boolean mayCheckpoint(
      String sessionId, ChannelKey key, long epoch, long position, long delivered) {
    Held channel = requireHolder(sessionId, key, epoch);
    if (position < channel.checkpointed || position > delivered) {
      throw new RefusedException(
          ErrorCode.INVALID_CHECKPOINT,
          "a checkpoint at "
              + position
              + " of partition "
              + key.partition()
              + " is not between the last one at "
              + channel.checkpointed
              + " and the last delivered change at "
              + delivered);
    }
    return position > channel.checkpointed;
  }

  /** Progress was stored. */
  void checkpointed(ChannelKey key, long position) {
    Held channel = require(key);
    channel.checkpointed = position;
    inDoubt.remove(channel);
  }

  /** It is not known whether progress was stored; a later {@link #tick} says when it is. */
  void doubt(ChannelKey key) {
    inDoubt.add(require(key));
  }

  /** It is known now where a channel ends. */
  List<TunnelEffect> endKnown(ChannelKey key, long position, long nowNanos) {
    Held channel = require(key);
    if (channel.checkpointed > position) {
      throw new IllegalStateException(
          key + " is at " + channel.checkpointed + ", beyond its end at " + position);
    }
    channel.end = Optional.of(position);
    return rebalance(new ArrayList<>(), nowNanos);
  }

  /** An operator pauses or resumes the tunnel as a whole. */
  List<TunnelEffect> pause(boolean isPausedNow, long nowNanos) {
    isPaused = isPausedNow;
    return rebalance(new ArrayList<>(), nowNanos);
  }

  /** An operator pauses or resumes channels, or clears their errors. */
  List<TunnelEffect> update(Map<ChannelKey, ChannelState> states, long nowNanos) {
    states.forEach(
        (key, state) -> {
          Held channel = require(key);
          channel.isPaused = state.isPaused();
          channel.error = state.error();
        });
    return rebalance(new ArrayList<>(), nowNanos);
  }

  /**
   * An operator moves channels. A session that holds one loses it and gets it back at once under a
   * new epoch, unless it was asked for it, it is at its end now, or has to wait.
   */
  List<TunnelEffect> seek(Map<ChannelKey, ChannelState> states, long nowNanos) {
    List<TunnelEffect> effects = new ArrayList<>();
    Map<Held, Session> holders = new LinkedHashMap<>();
    states.forEach(
        (key, state) -> {
          Held channel = require(key);
          if (channel.owner != null) {
            if (channel.status == ChannelStatus.OPEN) {
              holders.put(channel, channel.owner);
            }
            take(channel, TakeReason.MOVED, effects);
          }
          channel.checkpointed = state.checkpointed();
          channel.end = state.end();
          inDoubt.remove(channel);
          if (channel.status == ChannelStatus.TERMINATED && !channel.isAtEnd()) {
            channel.status = ChannelStatus.WAIT;
          }
        });
    finish(effects);
    holders.forEach(
        (channel, session) -> {
          if (channel.status == ChannelStatus.WAIT && isWanted(channel)) {
            assign(session, channel, effects);
          }
        });
    return rebalance(effects, nowNanos);
  }

  /** No epoch was higher so far. */
  long lastEpoch() {
    return lastEpoch;
  }

  /** The channels in their order. */
  List<View> view() {
    return channels.values().stream().map(this::view).toList();
  }

  private View view(Held channel) {
    return new View(
        channel.key,
        channel.status,
        Optional.ofNullable(channel.owner).map(owner -> owner.id),
        Optional.ofNullable(channel.owner).map(owner -> owner.clientTag),
        channel.epoch,
        channel.checkpointed,
        channel.end,
        isPaused || channel.isPaused,
        channel.error,
        channel.waitsFor.stream()
            .filter(other -> other.status != ChannelStatus.TERMINATED)
            .map(other -> other.key)
            .toList());
  }

  /** The sessions in the order in which they came. */
  List<SessionView> sessions(long nowNanos) {
    return sessions.values().stream()
        .map(
            session ->
                new SessionView(
                    session.id,
                    session.clientTag,
                    session.held.size(),
                    session.channelsMax,
                    session.deadlineNanos - nowNanos))
        .toList();
  }

  /** Whether there is a session of that id. */
  boolean hasSession(String sessionId) {
    return sessions.containsKey(sessionId);
  }

  /** Whether somebody holds the channel under that epoch. */
  boolean isHeld(ChannelKey key, long epoch) {
    Held channel = require(key);
    return channel.owner != null && channel.epoch == epoch;
  }

  /** Refuses those that do not hold the channel under that epoch. */
  void requireHold(String sessionId, ChannelKey key, long epoch) {
    requireHolder(sessionId, key, epoch);
  }

  private Held require(ChannelKey key) {
    Held channel = channels.get(key);
    if (channel == null) {
      throw new IllegalStateException("no channel " + key);
    }
    return channel;
  }

  private Held requireHolder(String sessionId, ChannelKey key, long epoch) {
    Held channel = require(key);
    if (channel.epoch != epoch || channel.owner == null || !channel.owner.id.equals(sessionId)) {
      throw new RefusedException(
          ErrorCode.FENCED,
          "the channel of partition "
              + key.partition()
              + " is no longer held under epoch "
              + epoch
              + "; its epoch is "
              + channel.epoch);
    }
    return channel;
  }

  private void over(Session session, OverReason reason, List<TunnelEffect> effects) {
    sessions.remove(session.id);
    List.copyOf(session.held).forEach(channel -> take(channel, reason.taken(), effects));
    effects.add(new TunnelEffect.SessionOver(session.id, reason));
  }

  private void take(Held channel, TakeReason reason, List<TunnelEffect> effects) {
    Session owner = channel.owner;
    effects.add(new TunnelEffect.Take(owner.id, channel.key, channel.epoch, reason));
    owner.held.remove(channel);
    if (closing.remove(channel)) {
      owner.leaving--;
    }
    channel.owner = null;
    channel.status = ChannelStatus.WAIT;
    if (channel.key.type() == ChannelType.BaseData && !channel.isAtEnd()) {
      // Its next holder may read other rows, when the snapshot is gone by then.
      channel.end = Optional.empty();
    }
  }

  private void assign(Session session, Held channel, List<TunnelEffect> effects) {
    channel.owner = session;
    channel.epoch = ++lastEpoch;
    channel.status = ChannelStatus.OPEN;
    session.held.add(channel);
    effects.add(
        new TunnelEffect.Assign(session.id, channel.key, channel.epoch, channel.checkpointed));
  }

  private void revoke(Held channel, long nowNanos, List<TunnelEffect> effects) {
    channel.status = ChannelStatus.CLOSING;
    channel.closingDeadlineNanos = nowNanos + revokeNanos;
    closing.add(channel);
    channel.owner.leaving++;
    effects.add(new TunnelEffect.Revoke(channel.owner.id, channel.key, channel.epoch));
  }

  /** Whether it is to be held by somebody. */
  private boolean isWanted(Held channel) {
    return !isPaused && !channel.isPaused && channel.error.isEmpty() && channel.isReady();
  }

  /** Ends what nobody holds and is at its end, and then what waited for that and is at its own. */
  private void finish(List<TunnelEffect> effects) {
    boolean hasFinished = true;
    while (hasFinished) {
      hasFinished = false;
      for (Held channel : channels.values()) {
        if (channel.status == ChannelStatus.WAIT && channel.isAtEnd() && channel.isReady()) {
          channel.status = ChannelStatus.TERMINATED;
          channel.error = Optional.empty();
          effects.add(new TunnelEffect.Finish(channel.key, channel.checkpointed));
          hasFinished = true;
        }
      }
    }
  }

  private List<TunnelEffect> rebalance(List<TunnelEffect> effects, long nowNanos) {
    finish(effects);
    Map<ChannelKey, String> owners = new LinkedHashMap<>();
    for (Held channel : channels.values()) {
      if (channel.status == ChannelStatus.OPEN && !isWanted(channel)) {
        revoke(channel, nowNanos, effects);
      } else if (channel.status == ChannelStatus.OPEN) {
        owners.put(channel.key, channel.owner.id);
      } else if (channel.status == ChannelStatus.WAIT
          && !inDoubt.contains(channel)
          && isWanted(channel)) {
        owners.put(channel.key, null);
      }
    }
    int comingBack =
        (int) closing.stream().filter(channel -> isWanted(channel) && !channel.isAtEnd()).count();
    List<AssignerCore.Seat> seats =
        sessions.values().stream()
            .map(session -> new AssignerCore.Seat(session.id, session.channelsMax, session.leaving))
            .toList();
    Map<ChannelKey, String> targets = AssignerCore.assign(seats, owners, comingBack);
    owners.forEach(
        (key, owner) -> {
          String target = targets.get(key);
          if (owner == null && target != null) {
            assign(sessions.get(target), channels.get(key), effects);
          } else if (owner != null && target == null) {
            revoke(channels.get(key), nowNanos, effects);
          }
        });
    return effects;
  }
}
