package io.tunnel.server.session;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Who holds the channels of one tunnel, and how far each has come.
 *
 * <p>A channel is WAIT (nobody holds it), OPEN (a session does) or CLOSING (its session was asked
 * to give it back). Every assignment has an epoch higher than all before it; what arrives under
 * another epoch than the channel's is FENCED. A channel leaves CLOSING when its session releases
 * it, ends, or lets the deadline pass; whoever comes next starts behind the last checkpoint, so a
 * graceful move delivers nothing twice and any other at most what came after that checkpoint.
 *
 * <p>Every method returns what is to be done. Time is given in nanoseconds of a clock that never
 * goes back.
 */
final class TunnelCore {

  private final long revokeNanos;
  private final NavigableMap<Integer, Held> channels = new TreeMap<>();
  private final Map<String, Session> sessions = new LinkedHashMap<>();
  private long lastEpoch;

  private static final class Session {
    private final String clientTag;
    private final long leaseNanos;
    private final int channelsMax;
    private long deadlineNanos;

    Session(String clientTag, long leaseNanos, int channelsMax) {
      this.clientTag = clientTag;
      this.leaseNanos = leaseNanos;
      this.channelsMax = channelsMax;
    }
  }

  private static final class Held {
    private ChannelStatus status = ChannelStatus.WAIT;
    private String owner;
    private long epoch;
    private long closingDeadlineNanos;
    private long checkpointed;

    /**
     * The session that gave it back of its own accord: it cannot go on there, so it is not given to
     * it again.
     */
    private String refusedBy;
  }

  /** A channel as it is now. */
  record View(
      int partition,
      ChannelStatus status,
      Optional<String> owner,
      Optional<String> clientTag,
      long epoch,
      long checkpointed) {}

  /**
   * A tunnel that nobody holds.
   *
   * @param epochBase every epoch is higher
   * @param revokeNanos how long a session has to give a channel back
   */
  TunnelCore(Map<Integer, Long> checkpointByPartition, long epochBase, long revokeNanos) {
    this.lastEpoch = epochBase;
    this.revokeNanos = revokeNanos;
    checkpointByPartition.forEach(
        (partition, checkpoint) -> {
          Held channel = new Held();
          channel.checkpointed = checkpoint;
          channel.epoch = epochBase;
          channels.put(partition, channel);
        });
  }

  /** A session begins. */
  List<TunnelEffect> open(
      String sessionId, String clientTag, long leaseNanos, int channelsMax, long nowNanos) {
    Session session = new Session(clientTag, leaseNanos, channelsMax);
    session.deadlineNanos = nowNanos + leaseNanos;
    if (sessions.putIfAbsent(sessionId, session) != null) {
      throw new IllegalStateException("session " + sessionId + " is open already");
    }
    return rebalance(new ArrayList<>(), nowNanos);
  }

  /** A session lives on. */
  void heartbeat(String sessionId, long nowNanos) {
    Session session = requireSession(sessionId);
    session.deadlineNanos = nowNanos + session.leaseNanos;
  }

  /** A session ends; nothing happens when it has ended before. */
  List<TunnelEffect> close(String sessionId, long nowNanos) {
    List<TunnelEffect> effects = new ArrayList<>();
    if (sessions.remove(sessionId) != null) {
      takeAll(sessionId, effects);
      rebalance(effects, nowNanos);
    }
    return effects;
  }

  /** Time has passed: leases and deadlines end. */
  List<TunnelEffect> tick(long nowNanos) {
    List<TunnelEffect> effects = new ArrayList<>();
    List<String> expired = new ArrayList<>();
    sessions.forEach(
        (id, session) -> {
          if (nowNanos - session.deadlineNanos >= 0) {
            expired.add(id);
          }
        });
    for (String sessionId : expired) {
      sessions.remove(sessionId);
      takeAll(sessionId, effects);
    }
    channels.forEach(
        (partition, channel) -> {
          if (channel.status == ChannelStatus.CLOSING
              && nowNanos - channel.closingDeadlineNanos >= 0) {
            take(partition, channel, effects);
          }
        });
    return effects.isEmpty() ? effects : rebalance(effects, nowNanos);
  }

  /** The holder gives a channel back. */
  List<TunnelEffect> release(String sessionId, int partition, long epoch, long nowNanos) {
    Held channel = requireHolder(sessionId, partition, epoch);
    List<TunnelEffect> effects = new ArrayList<>();
    if (channel.status == ChannelStatus.OPEN) {
      channel.refusedBy = sessionId;
    }
    take(partition, channel, effects);
    return rebalance(effects, nowNanos);
  }

  /**
   * Whether the holder may store this progress.
   *
   * @param delivered position of the last change that was delivered to it
   * @return whether it is news
   */
  boolean mayCheckpoint(
      String sessionId, int partition, long epoch, long position, long delivered) {
    Held channel = requireHolder(sessionId, partition, epoch);
    if (position < channel.checkpointed || position > delivered) {
      throw new RefusedException(
          ErrorCode.INVALID_CHECKPOINT,
          "a checkpoint at "
              + position
              + " of partition "
              + partition
              + " is not between the last one at "
              + channel.checkpointed
              + " and the last delivered change at "
              + delivered);
    }
    return position > channel.checkpointed;
  }

  /** Progress was stored. */
  void checkpointed(int partition, long position) {
    channels.get(partition).checkpointed = position;
  }

  /** The channels in the order of their partitions' ids. */
  List<View> view() {
    List<View> views = new ArrayList<>();
    channels.forEach(
        (partition, channel) ->
            views.add(
                new View(
                    partition,
                    channel.status,
                    Optional.ofNullable(channel.owner),
                    Optional.ofNullable(channel.owner).map(owner -> sessions.get(owner).clientTag),
                    channel.epoch,
                    channel.checkpointed)));
    return views;
  }

  /** Ids of all sessions. */
  List<String> sessionIds() {
    return List.copyOf(sessions.keySet());
  }

  private Session requireSession(String sessionId) {
    Session session = sessions.get(sessionId);
    if (session == null) {
      throw new RefusedException(
          ErrorCode.SESSION_ENDED, "session " + sessionId + " has ended; open a new one");
    }
    return session;
  }

  private Held requireHolder(String sessionId, int partition, long epoch) {
    Held channel = channels.get(partition);
    if (channel == null || channel.epoch != epoch || !sessionId.equals(channel.owner)) {
      throw new RefusedException(
          ErrorCode.FENCED,
          "the channel of partition "
              + partition
              + " is no longer held under epoch "
              + epoch
              + (channel == null ? "" : "; its epoch is " + channel.epoch));
    }
    return channel;
  }

  private void takeAll(String sessionId, List<TunnelEffect> effects) {
    channels.forEach(
        (partition, channel) -> {
          if (sessionId.equals(channel.owner)) {
            take(partition, channel, effects);
          }
          if (sessionId.equals(channel.refusedBy)) {
            channel.refusedBy = null;
          }
        });
  }

  private static void take(int partition, Held channel, List<TunnelEffect> effects) {
    effects.add(new TunnelEffect.Take(channel.owner, partition, channel.epoch));
    channel.owner = null;
    channel.status = ChannelStatus.WAIT;
  }

  private void assign(String sessionId, int partition, Held channel, List<TunnelEffect> effects) {
    channel.owner = sessionId;
    channel.epoch = ++lastEpoch;
    channel.status = ChannelStatus.OPEN;
    effects.add(new TunnelEffect.Assign(sessionId, partition, channel.epoch, channel.checkpointed));
  }

  private List<TunnelEffect> rebalance(List<TunnelEffect> effects, long nowNanos) {
    boolean isUnfinished = true;
    while (isUnfinished) {
      isUnfinished = spread(effects, nowNanos);
    }
    return effects;
  }

  /**
   * Moves channels towards where they shall be; true when one was given away and another found no
   * room, which the next look may give elsewhere.
   */
  private boolean spread(List<TunnelEffect> effects, long nowNanos) {
    List<AssignerCore.Seat> seats = new ArrayList<>();
    sessions.forEach((id, session) -> seats.add(new AssignerCore.Seat(id, session.channelsMax)));
    Map<Integer, String> owners = owners();
    Map<Integer, String> targets = AssignerCore.assign(seats, owners);
    boolean hasAssigned = false;
    boolean isFull = false;
    for (Map.Entry<Integer, Held> entry : channels.entrySet()) {
      int partition = entry.getKey();
      Held channel = entry.getValue();
      String target = targets.get(partition);
      if (target != null && target.equals(channel.refusedBy)) {
        target = owners.get(partition);
      }
      if (channel.status == ChannelStatus.WAIT && target != null) {
        if (hasRoom(target, heldBy(target))) {
          assign(target, partition, channel, effects);
          hasAssigned = true;
        } else {
          isFull = true;
        }
      } else if (channel.status == ChannelStatus.OPEN && !channel.owner.equals(target)) {
        channel.status = ChannelStatus.CLOSING;
        channel.closingDeadlineNanos = nowNanos + revokeNanos;
        effects.add(new TunnelEffect.Revoke(channel.owner, partition, channel.epoch));
      }
    }
    return hasAssigned && isFull;
  }

  /**
   * The channels with their owners, for the assigner. It does not know that a session refused a
   * channel, so those come first, which keeps them where they are, and one that waits is shown as
   * held by the session that shall have it; it is left out when there is none.
   */
  private Map<Integer, String> owners() {
    Map<Integer, String> owners = new LinkedHashMap<>();
    channels.forEach(
        (partition, channel) -> {
          if (channel.refusedBy != null && channel.status == ChannelStatus.OPEN) {
            owners.put(partition, channel.owner);
          } else if (channel.refusedBy != null && channel.status == ChannelStatus.WAIT) {
            otherThan(channel.refusedBy, owners).ifPresent(other -> owners.put(partition, other));
          }
        });
    channels.forEach(
        (partition, channel) -> {
          if (channel.status == ChannelStatus.CLOSING) {
            owners.put(partition, null);
          } else if (channel.refusedBy == null) {
            owners.put(partition, channel.owner);
          }
        });
    return owners;
  }

  /** The session with the fewest channels, and room, that is not {@code refusing}. */
  private Optional<String> otherThan(String refusing, Map<Integer, String> promised) {
    String fewest = null;
    long fewestHeld = Long.MAX_VALUE;
    for (String other : sessions.keySet()) {
      long held = heldBy(other);
      for (Map.Entry<Integer, String> promise : promised.entrySet()) {
        boolean isWaiting = channels.get(promise.getKey()).status == ChannelStatus.WAIT;
        held += isWaiting && other.equals(promise.getValue()) ? 1 : 0;
      }
      if (!other.equals(refusing) && held < fewestHeld && hasRoom(other, held)) {
        fewest = other;
        fewestHeld = held;
      }
    }
    return Optional.ofNullable(fewest);
  }

  /** Channels that a session has on its hands, those included that it was asked to give back. */
  private long heldBy(String sessionId) {
    return channels.values().stream().filter(held -> sessionId.equals(held.owner)).count();
  }

  private boolean hasRoom(String sessionId, long held) {
    int channelsMax = sessions.get(sessionId).channelsMax;
    return channelsMax == 0 || held < channelsMax;
  }
}
