package io.tunnel.server.session;

import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.Utf8;
import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.core.TunnelEffect;
import io.tunnel.core.TunnelEffect.TakeReason;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.session.TunnelRun.Session;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import java.io.IOException;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open sessions and the channels that they hold, by id and handle; carries out the effects of
 * the tunnels' state machines.
 */
final class Sessions {

  private static final Logger LOGGER = LoggerFactory.getLogger(Sessions.class);

  /** Characters of an invalid key in a message: the key may have megabytes. */
  private static final int ODD_KEY_CHARS_MAX = 500;

  /** Renewals of a session's grants during its lease, at most. */
  private static final long RENEWALS_PER_LEASE = 4;

  private final TunnelCatalog catalog;
  private final Coordinator.Naming naming;
  private final SessionConfig config;
  private final Surroundings surroundings;
  private final Map<String, Session> sessionById = new ConcurrentHashMap<>();

  /** The time of the last renewal of grants, for each open session. */
  private final Map<Session, Long> renewedNanos = new HashMap<>();

  private final IdentityHashMap<SessionPort, Set<Session>> sessionsByPort = new IdentityHashMap<>();
  private final Map<Integer, Hold> holdByHandle = new ConcurrentHashMap<>();

  Sessions(
      TunnelCatalog catalog,
      Coordinator.Naming naming,
      SessionConfig config,
      Surroundings surroundings) {
    this.catalog = catalog;
    this.naming = naming;
    this.config = config;
    this.surroundings = surroundings;
  }

  /** Adds a session; refuses it above the quota of its principal or table. */
  void add(Session session) {
    catalog.tables().holdings().openSession(session.port().holder(), session.run().info().table());
    sessionById.put(session.id(), session);
    renewedNanos.put(session, surroundings.nanos());
    sessionsByPort.computeIfAbsent(session.port(), key -> new LinkedHashSet<>()).add(session);
    session.port().began();
  }

  /** The sessions of a connection. */
  List<Session> of(SessionPort port) {
    return List.copyOf(sessionsByPort.getOrDefault(port, Set.of()));
  }

  int count() {
    return sessionById.size();
  }

  Session require(String sessionId, SessionPort port) {
    Session session = sessionById.get(sessionId);
    if (session == null || session.port() != port) {
      throw new RefusedException(
          ErrorCode.SESSION_ENDED, "session " + sessionId + " has ended; open a new one");
    }
    return session;
  }

  /** Whether a session with that id is open. For any thread. */
  boolean hasSession(String sessionId) {
    return sessionById.containsKey(sessionId);
  }

  /** The hold with that handle, if it still exists. For any thread. */
  Optional<Hold> hold(int handle) {
    return Optional.ofNullable(holdByHandle.get(handle));
  }

  /** Refuses a session above the limits of the connection and of the server. */
  void requireRoom(SessionPort port) {
    if (count() >= config.sessionsMax()) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "there are session.sessionsMax = "
              + config.sessionsMax()
              + " sessions; end some, or raise the limit in the server's configuration");
    }
    if (of(port).size() >= config.sessionsOfConnectionMax()) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "the connection has session.sessionsOfConnectionMax = "
              + config.sessionsOfConnectionMax()
              + " sessions; close some, or open them on another connection");
    }
  }

  Hold requireHold(int handle, long epoch, SessionPort port) {
    Hold hold = holdByHandle.get(handle);
    if (hold == null || hold.epoch() != epoch || hold.session().port() != port) {
      throw new RefusedException(
          ErrorCode.FENCED,
          "the channel with handle " + handle + " is no longer held under epoch " + epoch);
    }
    return hold;
  }

  /**
   * Refuses keys that no row of the session's table can have: reported keys are kept, stored, and
   * shown to operators.
   */
  void requireKeys(Session session, List<PrimaryKey> keys) {
    if (keys.isEmpty()) {
      return;
    }
    TunnelInfo tunnel = catalog.tunnel(session.run().info().tunnelId());
    List<PrimaryKeySchema> schema = catalog.tables().table(tunnel.table()).meta().primaryKey();
    for (PrimaryKey key : keys) {
      try {
        var unused = KeyCodec.encode(key, schema);
      } catch (IllegalArgumentException e) {
        throw new RefusedException(
            ErrorCode.INVALID_REQUEST,
            "what failed is named by a key that no row of table '"
                + tunnel.table()
                + "' can have: "
                + Utf8.start(String.valueOf(e.getMessage()), ODD_KEY_CHARS_MAX));
      }
    }
  }

  /** Ends all sessions of a tunnel that no longer runs here. */
  void forget(TunnelRun run, ErrorCode code, String reason) {
    run.undone().clear();
    run.retries().clear();
    List.copyOf(run.holds().values()).forEach(hold -> fence(hold, reason));
    for (Session session : List.copyOf(sessionById.values())) {
      if (session.run() == run) {
        LOGGER.info("session {} ended: {}", session.id(), reason);
        remove(session);
        session.port().over(new SessionEnd(session.id(), code, reason));
      }
    }
  }

  private void remove(Session session) {
    sessionById.remove(session.id());
    renewedNanos.remove(session);
    catalog.tables().holdings().closeSession(session.port().holder(), session.run().info().table());
    Set<Session> ofPort = sessionsByPort.get(session.port());
    ofPort.remove(session);
    if (ofPort.isEmpty()) {
      sessionsByPort.remove(session.port());
    }
    session.port().ended();
  }

  /**
   * Carries out {@code effects}, after earlier ones that failed. When the end of a channel cannot
   * be stored, later effects wait: the next tick retries.
   */
  void apply(TunnelRun run, List<TunnelEffect> effects) {
    run.undone().addAll(effects);
    while (!run.undone().isEmpty()) {
      TunnelEffect effect = run.undone().peek();
      if (effect instanceof TunnelEffect.Finish finish) {
        try {
          finish(run, finish);
        } catch (IOException e) {
          LOGGER.warn(
              "cannot store that channel {} of tunnel {} is finished: {}; will retry",
              finish.channel().channelId(run.info().tunnelId()),
              run.info().tunnel(),
              e.getMessage());
          return;
        }
      }
      run.undone().poll();
      if (effect instanceof TunnelEffect.Assign assign) {
        assign(run, assign);
      } else if (effect instanceof TunnelEffect.Revoke revoke) {
        revoke(run.holds().get(revoke.channel()));
      } else if (effect instanceof TunnelEffect.Take take) {
        take(run.holds().get(take.channel()), take.reason());
      } else if (effect instanceof TunnelEffect.SessionOver over) {
        over(sessionById.get(over.sessionId()), over.reason());
      }
    }
  }

  private void finish(TunnelRun run, TunnelEffect.Finish finish) throws IOException {
    String tunnelId = run.info().tunnelId();
    ChannelState state = catalog.channel(tunnelId, finish.channel());
    catalog.store(
        tunnelId,
        Map.of(
            finish.channel(),
            state.withEnd(Optional.of(finish.end()), true).withStop(Optional.empty())));
    LOGGER.info("{} of tunnel {} is finished", finish.channel(), run.info().tunnel());
    if (finish.channel().type() == ChannelType.BaseData) {
      surroundings.forgetRows(tunnelId, finish.channel().partition());
    }
  }

  private void assign(TunnelRun run, TunnelEffect.Assign assign) {
    Session session = sessionById.get(assign.sessionId());
    ChannelKey key = assign.channel();
    String tunnelId = run.info().tunnelId();
    ChannelState state = catalog.channel(tunnelId, key);
    OptionalLong end =
        state.end().isPresent() ? OptionalLong.of(state.end().get()) : OptionalLong.empty();
    Hold hold =
        new Hold(naming.handles().take(), session, key, assign.epoch(), assign.checkpointed(), end);
    holdByHandle.put(hold.handle(), hold);
    run.holds().put(key, hold);
    String channelId = key.channelId(tunnelId);
    session
        .port()
        .assign(
            new Assignment(
                session.id(),
                channelId,
                key.partition(),
                hold.handle(),
                hold.epoch(),
                assign.checkpointed(),
                key.type(),
                surroundings.leader(key.partition()),
                state.key(),
                // A base channel's end may have moved by then, so earlier ends are dropped.
                hold.isOfRows() ? Optional.empty() : state.end(),
                run.info().endMs(),
                grant(hold),
                state.incarnation()));
  }

  /**
   * A new grant of a hold. Without a heartbeat it outlives the session by the time that the next
   * renewal may be late.
   */
  private Bytes grant(Hold hold) {
    Session session = hold.session();
    TunnelInfo tunnel = session.run().info();
    long lifeMs = session.leaseMs() + renewalMs(session);
    long nowMs = TimeUnit.MICROSECONDS.toMillis(surroundings.epochMicros());
    OptionalLong end = hold.isOfRows() ? OptionalLong.empty() : hold.end();
    return naming
        .grants()
        .of(
            new Granted(
                hold.channelId(), hold.key().partition(), hold.epoch(), session.port().holder()),
            new Terms(
                tunnel.tunnel(),
                hold.start(),
                end.isPresent() ? Optional.of(end.getAsLong()) : Optional.empty(),
                tunnel.endMs(),
                nowMs + lifeMs,
                lifeMs));
  }

  /** The shortest time between two renewals, however often a worker sends heartbeats. */
  private static long renewalMs(Session session) {
    return session.leaseMs() / RENEWALS_PER_LEASE;
  }

  /** Renews the grants of a session after a heartbeat, unless they were renewed just before. */
  void renew(Session session) {
    long now = surroundings.nanos();
    long due = renewedNanos.get(session) + TimeUnit.MILLISECONDS.toNanos(renewalMs(session));
    if (now - due >= 0) {
      renewedNanos.put(session, now);
      session.run().holds().values().stream()
          .filter(hold -> hold.session().equals(session))
          .forEach(this::renew);
    }
  }

  private void renew(Hold hold) {
    hold.session().port().renew(new Renewal(hold.handle(), hold.epoch(), grant(hold)));
  }

  /** The end of a channel was found; a new grant tells the server that delivers the channel. */
  void endAt(Hold hold, long position) {
    hold.endAt(position);
    renew(hold);
    hold.session().port().limit(new ChannelEnd(hold.handle(), hold.epoch(), position));
  }

  private void revoke(Hold hold) {
    Session session = hold.session();
    session
        .port()
        .revoke(
            new Revocation(session.id(), hold.handle(), hold.epoch(), config.revokeDeadlineMs()));
  }

  private void take(Hold hold, TakeReason reason) {
    if (reason.isFenced()) {
      fence(hold, reason.text());
    } else {
      drop(hold);
      hold.session().port().dropped(hold.handle());
    }
  }

  private void fence(Hold hold, String reason) {
    drop(hold);
    Session session = hold.session();
    session.port().fence(new Fence(session.id(), hold.handle(), hold.epoch(), reason));
  }

  private void drop(Hold hold) {
    holdByHandle.remove(hold.handle());
    hold.session().run().holds().remove(hold.key());
  }

  private void over(Session session, TunnelEffect.OverReason reason) {
    LOGGER.info("session {} ended: {}", session.id(), reason.text());
    remove(session);
    if (reason.taken().isFenced()) {
      session
          .port()
          .over(
              new SessionEnd(
                  session.id(), ErrorCode.SESSION_ENDED, "the session ended: " + reason.text()));
    }
  }
}
