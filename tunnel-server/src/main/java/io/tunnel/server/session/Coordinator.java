package io.tunnel.server.session;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.log.ChangeReader;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Control.Assignment;
import io.tunnel.wire.Control.OpenSession;
import io.tunnel.wire.Control.Revocation;
import io.tunnel.wire.Control.SessionOpened;
import io.tunnel.wire.Control.TunnelInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the state machines of all tunnels. Everything here happens on the control thread, as all
 * state here is its own.
 */
public final class Coordinator {

  private static final Logger LOGGER = LoggerFactory.getLogger(Coordinator.class);
  private static final int EPOCH_BITS_OF_START = 32;

  private final Catalog catalog;
  private final ChangeReader changes;
  private final Channels channels;
  private final SessionConfig config;
  private final LongSupplier nanoClock;
  private final Map<String, TunnelCore> coreByTunnel = new HashMap<>();
  private final Map<String, Session> sessionById = new HashMap<>();
  private final Map<Integer, Hold> holdByHandle = new HashMap<>();
  private int lastHandle;
  private long lastSession;

  private record Session(String id, String tunnelId, SessionPort port) {}

  private record Hold(Session session, int partition, long epoch, Channel channel) {}

  /**
   * A coordinator of the tunnels in {@code catalog}.
   *
   * @throws IOException when the catalog cannot be written
   */
  public Coordinator(
      Catalog catalog,
      ChangeReader changes,
      Channels channels,
      SessionConfig config,
      LongSupplier nanoClock)
      throws IOException {
    this.catalog = catalog;
    this.changes = changes;
    this.channels = channels;
    this.config = config;
    this.nanoClock = nanoClock;
    for (TunnelInfo tunnel : catalog.tunnels(Optional.empty())) {
      takeBackLostCheckpoints(tunnel);
    }
  }

  /**
   * Changes written without a sync may be delivered and processed, and then lost with the power.
   * Their positions are given to new changes, which a checkpoint beyond them would skip.
   */
  private void takeBackLostCheckpoints(TunnelInfo tunnel) throws IOException {
    Map<Integer, Long> takenBack = new HashMap<>();
    for (PartitionRecord partition : catalog.table(tunnel.table()).partitions()) {
      long checkpointed = catalog.checkpoint(tunnel.tunnelId(), partition.id());
      long committed = changes.committed(partition.id());
      if (checkpointed > committed) {
        LOGGER.warn(
            "changes {} to {} of partition {} were lost after tunnel {} had processed them;"
                + " it goes on behind {}",
            committed + 1,
            checkpointed,
            partition.id(),
            tunnel.tunnel(),
            committed);
        takenBack.put(partition.id(), committed);
      }
    }
    if (!takenBack.isEmpty()) {
      catalog.checkpoint(tunnel.tunnelId(), takenBack);
    }
  }

  private TunnelCore core(TunnelInfo tunnel) {
    return coreByTunnel.computeIfAbsent(
        tunnel.tunnelId(),
        id -> {
          Map<Integer, Long> checkpoints = new LinkedHashMap<>();
          for (PartitionRecord partition : catalog.table(tunnel.table()).partitions()) {
            checkpoints.put(partition.id(), catalog.checkpoint(id, partition.id()));
          }
          return new TunnelCore(
              checkpoints,
              catalog.starts() << EPOCH_BITS_OF_START,
              TimeUnit.MILLISECONDS.toNanos(config.revokeDeadlineMs()));
        });
  }

  /** Opens a session; {@code whenOpened} is given the answer before any assignment is pushed. */
  public void open(OpenSession request, SessionPort port, Consumer<SessionOpened> whenOpened) {
    TunnelInfo tunnel = catalog.tunnel(request.tunnelId());
    TableMeta table = catalog.table(tunnel.table()).meta();
    String id = catalog.starts() + "-" + ++lastSession;
    Session session = new Session(id, tunnel.tunnelId(), port);
    sessionById.put(id, session);
    whenOpened.accept(new SessionOpened(id, table));
    LOGGER.info("session {} of '{}' opened on tunnel {}", id, request.clientTag(), tunnel.tunnel());
    TunnelCore core = core(tunnel);
    apply(
        core.open(
            id,
            request.clientTag(),
            TimeUnit.MILLISECONDS.toNanos(request.leaseMs()),
            request.maxChannels(),
            nanoClock.getAsLong()));
  }

  /** Renews a lease. */
  public void heartbeat(String sessionId, SessionPort port) {
    Session session = requireSession(sessionId, port);
    coreByTunnel.get(session.tunnelId()).heartbeat(sessionId, nanoClock.getAsLong());
  }

  /** Ends a session. */
  public void close(String sessionId, SessionPort port) {
    end(requireSession(sessionId, port), "closed by its worker");
  }

  /** Ends all sessions of a connection that is gone. */
  public void disconnected(SessionPort port) {
    for (Session session : List.copyOf(sessionById.values())) {
      if (session.port() == port) {
        end(session, "its connection closed");
      }
    }
  }

  private void end(Session session, String reason) {
    LOGGER.info("session {} ended: {}", session.id(), reason);
    TunnelCore core = coreByTunnel.get(session.tunnelId());
    apply(core.close(session.id(), nanoClock.getAsLong()));
    sessionById.remove(session.id());
  }

  private Session requireSession(String sessionId, SessionPort port) {
    Session session = sessionById.get(sessionId);
    if (session == null || session.port() != port) {
      throw new RefusedException(
          ErrorCode.SESSION_ENDED, "session " + sessionId + " has ended; open a new one");
    }
    return session;
  }

  /** Gives a channel back. */
  public void release(ChannelRef ref, SessionPort port) {
    Hold hold = requireHold(ref.handle(), ref.epoch(), port);
    TunnelCore core = coreByTunnel.get(hold.session().tunnelId());
    apply(core.release(hold.session().id(), hold.partition(), ref.epoch(), nanoClock.getAsLong()));
  }

  /** Stores progress; it is durable when this returns. */
  public void checkpoint(Checkpoint checkpoint, SessionPort port) throws IOException {
    Hold hold = requireHold(checkpoint.handle(), checkpoint.epoch(), port);
    Session session = hold.session();
    TunnelCore core = coreByTunnel.get(session.tunnelId());
    boolean isNews =
        core.mayCheckpoint(
            session.id(),
            hold.partition(),
            checkpoint.epoch(),
            checkpoint.position(),
            hold.channel().delivered());
    if (isNews) {
      catalog.checkpoint(session.tunnelId(), Map.of(hold.partition(), checkpoint.position()));
      core.checkpointed(hold.partition(), checkpoint.position());
    }
  }

  private Hold requireHold(int handle, long epoch, SessionPort port) {
    Hold hold = holdByHandle.get(handle);
    if (hold == null || hold.epoch() != epoch || hold.session().port() != port) {
      throw new RefusedException(
          ErrorCode.FENCED,
          "the channel with handle " + handle + " is no longer held under epoch " + epoch);
    }
    return hold;
  }

  /** Lets leases and deadlines end; to be called a few times a second. */
  public void tick() {
    long now = nanoClock.getAsLong();
    for (Map.Entry<String, TunnelCore> tunnel : coreByTunnel.entrySet()) {
      apply(tunnel.getValue().tick(now));
    }
    for (Session session : List.copyOf(sessionById.values())) {
      if (!coreByTunnel.get(session.tunnelId()).sessionIds().contains(session.id())) {
        LOGGER.info("session {} ended: its lease ran out", session.id());
        sessionById.remove(session.id());
      }
    }
  }

  /** Ends all sessions of a tunnel and forgets it. */
  public void forget(TunnelInfo tunnel) {
    TunnelCore core = coreByTunnel.get(tunnel.tunnelId());
    if (core != null) {
      for (String sessionId : core.sessionIds()) {
        end(sessionById.get(sessionId), "its tunnel was deleted");
      }
      coreByTunnel.remove(tunnel.tunnelId());
    }
  }

  private void apply(List<TunnelEffect> effects) {
    for (TunnelEffect effect : effects) {
      if (effect instanceof TunnelEffect.Assign assign) {
        assign(assign);
      } else if (effect instanceof TunnelEffect.Revoke revoke) {
        holdOf(revoke.sessionId(), revoke.partition()).ifPresent(handle -> revoke(revoke, handle));
      } else if (effect instanceof TunnelEffect.Take take) {
        holdOf(take.sessionId(), take.partition()).ifPresent(this::take);
      }
    }
  }

  private void assign(TunnelEffect.Assign assign) {
    Session session = sessionById.get(assign.sessionId());
    int handle = ++lastHandle;
    Channel channel =
        channels.stream(
            new Channel.Hold(handle, assign.epoch(), assign.partition(), assign.checkpointed()),
            OptionalLong.empty(),
            session.port());
    holdByHandle.put(handle, new Hold(session, assign.partition(), assign.epoch(), channel));
    session
        .port()
        .assign(
            new Assignment(
                session.id(),
                channelId(session.tunnelId(), assign.partition()),
                assign.partition(),
                handle,
                assign.epoch(),
                assign.checkpointed()),
            channel);
  }

  private void revoke(TunnelEffect.Revoke revoke, int handle) {
    Session session = sessionById.get(revoke.sessionId());
    session
        .port()
        .revoke(new Revocation(session.id(), handle, revoke.epoch(), config.revokeDeadlineMs()));
  }

  private void take(int handle) {
    Hold hold = holdByHandle.remove(handle);
    hold.session().port().take(handle);
  }

  private Optional<Integer> holdOf(String sessionId, int partition) {
    for (Map.Entry<Integer, Hold> entry : holdByHandle.entrySet()) {
      Hold hold = entry.getValue();
      if (hold.session().id().equals(sessionId) && hold.partition() == partition) {
        return Optional.of(entry.getKey());
      }
    }
    return Optional.empty();
  }

  /** The name of a partition's channel in a tunnel. */
  static String channelId(String tunnelId, int partition) {
    return partition + "_" + tunnelId;
  }

  /** The channels of a tunnel as they are now. */
  public List<ChannelView> channels(TunnelInfo tunnel) {
    List<ChannelView> views = new ArrayList<>();
    for (TunnelCore.View view : core(tunnel).view()) {
      long delivered =
          view.owner()
              .flatMap(owner -> holdOf(owner, view.partition()))
              .map(handle -> holdByHandle.get(handle).channel().delivered())
              .orElse(view.checkpointed());
      views.add(
          new ChannelView(
              channelId(tunnel.tunnelId(), view.partition()),
              view,
              Math.max(delivered, view.checkpointed())));
    }
    return views;
  }

  /** How many sessions are open. */
  public int sessionCount() {
    return sessionById.size();
  }
}
