package io.tunnel.core;

import io.tunnel.core.TunnelEffect.OverReason;
import io.tunnel.core.TunnelEffect.TakeReason;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
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
 * <p>A channel is WAIT (no session holds it), OPEN (a session does), CLOSING (its session was asked
 * to give it back) or TERMINATED (everything up to its end was processed). It is assigned only
 * while it is not paused, has no error, and all channels that it waits for are TERMINATED;
 * otherwise it is revoked. Every assignment has an epoch higher than all before it; requests under
 * any other epoch are FENCED. A channel leaves CLOSING when its session releases it, ends, or
 * misses the deadline; the next holder starts after the last checkpoint. So a graceful move
 * delivers no change twice, and any other move repeats only changes after that checkpoint. A
 * channel whose last checkpoint is in doubt is not assigned: the next holder could start before it
 * and the holder after that after it.
 *
 * <p>Every method returns what the caller must do. What operators and failures change is stored
 * before the method is called. Times are nanoseconds of a clock that never goes back.
 */
public final class TunnelCore {

  private final long revokeNanos;
  private final NavigableMap<ChannelKey, Held> channels = new TreeMap<>();
  private final Set<Held> closing = new LinkedHashSet<>();

  /** Channels of which more may be stored than {@link Held#checkpointed}. */
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

    Session(String id, String clientTag, long leaseNanos, int channelsMax) {
      this.id = id;
      this.clientTag = clientTag;
      this.leaseNanos = leaseNanos;
      this.channelsMax = channelsMax;
    }

    int leaving() {
      return (int) held.stream().filter(each -> each.status == ChannelStatus.CLOSING).count();
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

    void move(ChannelStatus next, String reason) {
      boolean isAllowed =
          switch (status) {
            case WAIT -> next == ChannelStatus.OPEN || next == ChannelStatus.TERMINATED;
            case OPEN -> next == ChannelStatus.CLOSING || next == ChannelStatus.WAIT;
            case CLOSING, TERMINATED -> next == ChannelStatus.WAIT;
            case CLOSE -> false;
          };
      if (!isAllowed) {
        throw new IllegalStateException(
            "%s under epoch %d is %s, not to be %s: %s"
                .formatted(key, epoch, status, next, reason));
      }
      status = next;
    }
  }

  /**
   * A channel as it is now.
   *
   * @param isPaused whether the channel or its tunnel is paused
   * @param waitsFor channels that must be TERMINATED first and are not yet
   */
  public record View(
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
  public record SessionView(
      String sessionId, String clientTag, int channels, int channelsMax, long leaseLeftNanos) {}

  /**
   * A tunnel without sessions.
   *
   * @param waitsFor by channel, the channels that must be TERMINATED before it
   * @param epochBase all epochs of this object are higher
   * @param revokeNanos how long a session may take to give a revoked channel back
   */
  public TunnelCore(
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

  /** Finishes channels at their ends, which a crash may have left undone. */
  public List<TunnelEffect> start() {
    return finish(new ArrayList<>());
  }

  /** A session begins, with a lease from now on. */
  public List<TunnelEffect> open(
      String sessionId, String clientTag, long leaseNanos, int channelsMax, long nowNanos) {
    Session session = new Session(sessionId, clientTag, leaseNanos, channelsMax);
    session.deadlineNanos = nowNanos + leaseNanos;
    if (sessions.putIfAbsent(sessionId, session) != null) {
      throw new IllegalStateException("session " + sessionId + " is open already");
    }
    return rebalance(new ArrayList<>(), nowNanos);
  }

  /** A session renews its lease. */
  public void heartbeat(String sessionId, long nowNanos) {
    Session session = sessions.get(sessionId);
    if (session == null) {
      throw new RefusedException(
          ErrorCode.SESSION_ENDED, "session " + sessionId + " has ended; open a new one");
    }
    session.deadlineNanos = nowNanos + session.leaseNanos;
  }

  /** Ends sessions together; sessions that have ended before are ignored. */
  public List<TunnelEffect> end(List<String> sessionIds, OverReason reason, long nowNanos) {
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
   * Ends leases and deadlines that have passed.
   *
   * @param isCertain whether the outcome of every checkpoint is known
   */
  public List<TunnelEffect> tick(long nowNanos, boolean isCertain) {
    boolean isKnownNow = isCertain && !inDoubt.isEmpty();
    if (isKnownNow) {
      inDoubt.clear();
    }
    if (sessions.isEmpty() && closing.isEmpty() && !isKnownNow) {
      // The state of most tunnels of a server with thousands, ten times a second.
      return List.of();
    }
    List<TunnelEffect> effects = new ArrayList<>();
    List.copyOf(sessions.values()).stream()
        .filter(session -> nowNanos - session.deadlineNanos >= 0)
        .forEach(session -> over(session, OverReason.LEASE, effects));
    List.copyOf(closing).stream()
        .filter(channel -> nowNanos - channel.closingDeadlineNanos >= 0)
        .forEach(channel -> take(channel, TakeReason.DEADLINE, effects));
    return effects.isEmpty() && !isKnownNow ? effects : rebalance(effects, nowNanos);
  }

  /** The holder gives a channel back, asked to or not; the channel may be assigned to it again. */
  public List<TunnelEffect> release(String sessionId, ChannelKey key, long epoch, long nowNanos) {
    List<TunnelEffect> effects = new ArrayList<>();
    take(requireHolder(sessionId, key, epoch), TakeReason.RELEASED, effects);
    return rebalance(effects, nowNanos);
  }

  /**
   * The holder cannot continue a channel: no session gets it until an operator resumes it. A
   * channel that was processed up to its end is finished all the same.
   */
  public List<TunnelEffect> stop(
      String sessionId, ChannelKey key, long epoch, String error, long nowNanos) {
    Held channel = requireHolder(sessionId, key, epoch);
    List<TunnelEffect> effects = new ArrayList<>();
    channel.error = Optional.of(error);
    take(channel, TakeReason.STOPPED, effects);
    return rebalance(effects, nowNanos);
  }

  /**
   * Checks progress that the holder wants to store.
   *
   * @param delivered position of the last change that was delivered to the holder
   * @return whether the position is higher than the stored one
   */
  public boolean mayCheckpoint(
      String sessionId, ChannelKey key, long epoch, long position, long delivered) {
    Held channel = requireHolder(sessionId, key, epoch);
    if (position < channel.checkpointed || position > delivered) {
      throw new RefusedException(
          ErrorCode.INVALID_CHECKPOINT,
          "the checkpoint %d of partition %d is not from %d (stored) to %d (delivered)"
              .formatted(position, key.partition(), channel.checkpointed, delivered));
    }
    return position > channel.checkpointed;
  }

  /** Progress was stored. */
  public void checkpointed(ChannelKey key, long position) {
    Held channel = require(key);
    channel.checkpointed = position;
    inDoubt.remove(channel);
  }

  /** A checkpoint is in doubt, until a later {@link #tick} is certain. */
  public void doubt(ChannelKey key) {
    inDoubt.add(require(key));
  }

  /** The end of a channel was found. */
  public List<TunnelEffect> endKnown(ChannelKey key, long position, long nowNanos) {
    Held channel = require(key);
    if (channel.checkpointed > position) {
      throw new IllegalStateException(
          key + " is at " + channel.checkpointed + ", beyond its end at " + position);
    }
    channel.end = Optional.of(position);
    return rebalance(new ArrayList<>(), nowNanos);
  }

  /** An operator pauses or resumes the complete tunnel. */
  public List<TunnelEffect> pause(boolean isPausedNow, long nowNanos) {
    isPaused = isPausedNow;
    return rebalance(new ArrayList<>(), nowNanos);
  }

  /** An operator paused or resumed channels, or cleared their errors. */
  public List<TunnelEffect> update(Map<ChannelKey, ChannelState> states, long nowNanos) {
    states.forEach(
        (key, state) -> {
          Held channel = require(key);
          channel.isPaused = state.isPaused();
          channel.error = state.error();
        });
    return rebalance(new ArrayList<>(), nowNanos);
  }

  /**
   * An operator moved channels. A session that holds such a channel loses it and gets it back at
   * once under a new epoch, unless the channel was revoked, is at its end now, or has to wait.
   */
  public List<TunnelEffect> seek(Map<ChannelKey, ChannelState> states, long nowNanos) {
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
            channel.move(ChannelStatus.WAIT, "an operator moved it before its end");
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

  /** The highest epoch so far. */
  public long lastEpoch() {
    return lastEpoch;
  }

  /** The channels in their order. */
  public List<View> view() {
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
  public List<SessionView> sessions(long nowNanos) {
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

  /** Whether a session with that id is open. */
  public boolean hasSession(String sessionId) {
    return sessions.containsKey(sessionId);
  }

  /** Whether a session holds the channel under that epoch. */
  public boolean isHeld(ChannelKey key, long epoch) {
    Held channel = require(key);
    return channel.owner != null && channel.epoch == epoch;
  }

  /** Refuses a session that does not hold the channel under that epoch. */
  public void requireHold(String sessionId, ChannelKey key, long epoch) {
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
          "the channel of partition %d is no longer held under epoch %d; its epoch is %d"
              .formatted(key.partition(), epoch, channel.epoch));
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
    closing.remove(channel);
    channel.owner = null;
    channel.move(ChannelStatus.WAIT, reason.name());
    if (channel.key.type() == ChannelType.BaseData && !channel.isAtEnd()) {
      // The next holder may read a newer snapshot, which ends elsewhere.
      channel.end = Optional.empty();
    }
  }

  private void assign(Session session, Held channel, List<TunnelEffect> effects) {
    channel.move(ChannelStatus.OPEN, "assigned to session " + session.id);
    channel.owner = session;
    channel.epoch = ++lastEpoch;
    session.held.add(channel);
    effects.add(
        new TunnelEffect.Assign(session.id, channel.key, channel.epoch, channel.checkpointed));
  }

  private void revoke(Held channel, long nowNanos, List<TunnelEffect> effects) {
    channel.move(ChannelStatus.CLOSING, "revoked from session " + channel.owner.id);
    channel.closingDeadlineNanos = nowNanos + revokeNanos;
    closing.add(channel);
    effects.add(new TunnelEffect.Revoke(channel.owner.id, channel.key, channel.epoch));
  }

  /** Whether a session should hold the channel. */
  private boolean isWanted(Held channel) {
    return !isPaused && !channel.isPaused && channel.error.isEmpty() && channel.isReady();
  }

  /** Finishes free channels at their ends, then the channels that waited for them. */
  private List<TunnelEffect> finish(List<TunnelEffect> effects) {
    boolean hasFinished = true;
    while (hasFinished) {
      hasFinished = false;
      for (Held channel : channels.values()) {
        if (channel.status == ChannelStatus.WAIT && channel.isAtEnd() && channel.isReady()) {
          channel.move(ChannelStatus.TERMINATED, "processed up to its end");
          channel.error = Optional.empty();
          effects.add(new TunnelEffect.Finish(channel.key, channel.checkpointed));
          hasFinished = true;
        }
      }
    }
    return effects;
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
            .map(
                session ->
                    new AssignerCore.Seat(session.id, session.channelsMax, session.leaving()))
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
