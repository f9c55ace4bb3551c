package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.core.FailureTexts;
import io.tunnel.core.StopReason;
import io.tunnel.core.TunnelCore;
import io.tunnel.core.TunnelEffect;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.tunnel.TunnelRecords;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.server.channel.Handles;
import io.tunnel.server.session.TunnelRun.Session;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.FailedChange;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.SessionControl.OpenSession;
import io.tunnel.wire.control.SessionControl.SessionOpened;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the state machines of all tunnels for their sessions; {@link Operators} serves operators.
 * The control thread owns all state here and calls all methods, except where noted.
 *
 * <p>Each step is stored first if it must survive a crash, then moves the state machine, then tells
 * the workers.
 */
public final class Coordinator {

  private static final Logger LOGGER = LoggerFactory.getLogger(Coordinator.class);
  private static final int EPOCH_BITS_OF_START = 32;

  /** Sessions of a closed connection that one task ends. */
  static final int SESSIONS_ENDED_MAX = 64;

  private final TunnelCatalog catalog;
  private final LogBounds bounds;
  private final SessionConfig config;
  private final Surroundings surroundings;
  private final TunnelEnds ends;
  private final Map<String, TunnelRun> runByTunnel = new HashMap<>();

  /** The last epochs of tunnels whose state machines were discarded while the server ran. */
  private final Map<String, Long> lastEpochByTunnel = new HashMap<>();

  /** What workers reported of the channels that they retry. */
  private final FailureTexts retried;

  private final Sessions sessions;
  private final Checkpoints checkpoints;
  private final StaleCheckpoints stale;
  private long lastSession;

  /** The reason why this coordinator runs no tunnels any more. */
  private Optional<String> resigned = Optional.empty();

  /**
   * A coordinator of all tunnels of a single server. Checkpoints beyond the log, whose changes were
   * lost, are rolled back.
   *
   * @throws IOException when the catalog cannot be written
   */
  public static Coordinator alone(
      TunnelCatalog catalog,
      ChangeReader changes,
      Naming naming,
      SessionConfig config,
      Surroundings surroundings)
      throws IOException {
    return new Coordinator(
        LostChanges.takenBack(catalog, changes),
        naming,
        LogBounds.of(changes),
        config,
        surroundings);
  }

  /**
   * The names and proofs by which delivering servers know a channel.
   *
   * @param handles numbers all channels of this server, including channels that clients attached to
   * @param grants prove to the server of a partition that one of its channels was assigned
   */
  public record Naming(Handles handles, ChannelGrants grants) {}

  /** A coordinator of the tunnels in {@code catalog}. */
  public Coordinator(
      TunnelCatalog catalog,
      Naming naming,
      LogBounds bounds,
      SessionConfig config,
      Surroundings surroundings) {
    this.catalog = catalog;
    this.bounds = bounds;
    this.config = config;
    this.surroundings = surroundings;
    this.retried = catalog.stopped().another();
    this.sessions = new Sessions(catalog, naming, config, surroundings);
    this.checkpoints = new Checkpoints(catalog, sessions, bounds, surroundings);
    this.ends = new TunnelEnds(catalog, bounds, surroundings, this::endKnown);
    this.stale = new StaleCheckpoints(catalog, sessions, bounds, ends, surroundings);
    catalog.tunnels(Optional.empty()).forEach(ends::watch);
  }

  /** The run of a tunnel, started if necessary. */
  TunnelRun run(TunnelInfo tunnel) {
    requireInOffice();
    TunnelRun run = runByTunnel.get(tunnel.tunnelId());
    if (run == null) {
      run =
          new TunnelRun(
              tunnel,
              new TunnelCore(
                  catalog.channels(tunnel),
                  waitsFor(tunnel),
                  catalog.isPaused(tunnel.tunnelId()),
                  lastEpochByTunnel.getOrDefault(
                      tunnel.tunnelId(), catalog.starts() << EPOCH_BITS_OF_START),
                  TimeUnit.MILLISECONDS.toNanos(config.revokeDeadlineMs())),
              retried);
      runByTunnel.put(tunnel.tunnelId(), run);
      apply(run, run.core().start());
    }
    return run;
  }

  /** A partition's changes wait for its rows, and for the changes of its parent partitions. */
  private Map<ChannelKey, List<ChannelKey>> waitsFor(TunnelInfo tunnel) {
    Set<ChannelKey> all = catalog.channels(tunnel).keySet();
    Map<ChannelKey, List<ChannelKey>> waitsFor = new LinkedHashMap<>();
    for (PartitionRecord partition : catalog.tables().table(tunnel.table()).partitions()) {
      List<ChannelKey> others = new ArrayList<>();
      others.add(ChannelKey.base(partition.id()));
      partition.parents().forEach(parent -> others.add(ChannelKey.stream(parent)));
      others.retainAll(all);
      if (all.contains(ChannelKey.stream(partition.id()))) {
        waitsFor.put(ChannelKey.stream(partition.id()), others);
      }
    }
    return waitsFor;
  }

  /** A tunnel was created. */
  void created(TunnelInfo tunnel) {
    ends.watch(tunnel);
  }

  /** Opens a session; {@code whenOpened} gets the answer before any assignment is pushed. */
  public void open(OpenSession request, SessionPort port, Consumer<SessionOpened> whenOpened) {
    requireInOffice();
    sessions.requireRoom(port);
    TunnelInfo tunnel = catalog.tunnel(request.tunnelId());
    TableMeta table = catalog.tables().table(tunnel.table()).meta();
    TunnelRun run = run(tunnel);
    Session session =
        new Session(catalog.startId() + "-" + ++lastSession, run, port, request.leaseMs());
    sessions.add(session);
    whenOpened.accept(new SessionOpened(session.id(), table, surroundings.silenceMs()));
    LOGGER.info(
        "session {} of '{}' opened on tunnel {}",
        session.id(),
        request.clientTag(),
        tunnel.tunnel());
    apply(
        run,
        run.core()
            .open(
                session.id(),
                request.clientTag(),
                TimeUnit.MILLISECONDS.toNanos(request.leaseMs()),
                request.maxChannels(),
                surroundings.nanos()));
  }

  /** What is kept of the retries of all tunnels. */
  FailureTexts retried() {
    return retried;
  }

  /** Refuses requests after {@link #resign}. */
  private void requireInOffice() {
    resigned.ifPresent(
        reason -> {
          throw RefusedException.notLeader(reason, Optional.empty());
        });
  }

  /** Renews a lease, and notes the session's retries. */
  public void heartbeat(Heartbeat heartbeat, SessionPort port) {
    Session session = sessions.require(heartbeat.sessionId(), port);
    sessions.requireKeys(
        session,
        heartbeat.retrying().stream()
            .flatMap(each -> each.retry().at().stream())
            .map(FailedChange::key)
            .toList());
    session.run().core().heartbeat(session.id(), surroundings.nanos());
    sessions.renew(session);
    session.run().retries().report(session, heartbeat.retrying(), surroundings.nanos());
  }

  /** Ends a session. */
  public void close(String sessionId, SessionPort port) {
    end(sessions.require(sessionId, port), TunnelEffect.OverReason.CLOSED);
  }

  /**
   * Ends all sessions of a closed connection, in steps, so that other requests wait only for one
   * step.
   */
  public void disconnected(SessionPort port) {
    endSome(new ArrayDeque<>(sessions.of(port)));
  }

  private void endSome(Queue<Session> left) {
    Map<TunnelRun, List<String>> ending = new LinkedHashMap<>();
    for (int i = 0; i < SESSIONS_ENDED_MAX && !left.isEmpty(); i++) {
      Session session = left.remove();
      if (sessions.hasSession(session.id())) {
        ending.computeIfAbsent(session.run(), run -> new ArrayList<>()).add(session.id());
      }
    }
    ending.forEach(
        (run, ids) ->
            apply(
                run,
                run.core().end(ids, TunnelEffect.OverReason.DISCONNECTED, surroundings.nanos())));
    if (!left.isEmpty()) {
      surroundings.control(() -> endSome(left));
    }
  }

  private void end(Session session, TunnelEffect.OverReason reason) {
    apply(
        session.run(),
        session.run().core().end(List.of(session.id()), reason, surroundings.nanos()));
  }

  /** Gives a channel back. */
  public void release(ChannelRef ref, SessionPort port) {
    Hold hold = sessions.requireHold(ref.handle(), ref.epoch(), port);
    TunnelRun run = hold.session().run();
    apply(
        run,
        run.core().release(hold.session().id(), hold.key(), ref.epoch(), surroundings.nanos()));
  }

  /** Stops a channel: no session gets it until an operator resumes it. */
  public void stop(StopChannel request, SessionPort port) throws IOException {
    Hold hold = sessions.requireHold(request.handle(), request.epoch(), port);
    sessions.requireKeys(hold.session(), request.at().map(FailedChange::key).stream().toList());
    String owner = TunnelRecords.owner(hold.session().run().info());
    StopReason failure = new StopReason(request.error(), request.at());
    stop(hold, catalog.stopped().fitting(owner, failure));
  }

  /**
   * Rolls progress back: the delivering server refused a worker whose position was lost. The
   * channel continues after the last change that the log has.
   */
  public void replaced(StopChannel request, SessionPort port, CheckpointAnswer answer) {
    stale.judge(request, port, answer);
  }

  private void stop(Hold hold, StopReason why) throws IOException {
    TunnelRun run = hold.session().run();
    run.core().requireHold(hold.session().id(), hold.key(), hold.epoch());
    String tunnelId = run.info().tunnelId();
    ChannelState state = catalog.channel(tunnelId, hold.key());
    LOGGER.warn(
        "channel {} of tunnel {} of table {} is STOPPED, processed up to {}{}: {}",
        hold.key().channelId(tunnelId),
        run.info().tunnel(),
        run.info().table(),
        state.checkpointed(),
        why.place(hold.key().partition()),
        why.error());
    catalog.store(tunnelId, Map.of(hold.key(), state.withStop(Optional.of(why))));
    apply(
        run,
        run.core()
            .stop(
                hold.session().id(), hold.key(), hold.epoch(), why.error(), surroundings.nanos()));
  }

  /**
   * A checkpoint of a session.
   *
   * @param skipped changes up to the checkpoint that the worker left out
   */
  public record CheckpointRequest(
      Checkpoint checkpoint, List<Skip> skipped, SessionPort port, CheckpointAnswer answer) {

    /** A checkpoint without skipped changes. */
    public CheckpointRequest(Checkpoint checkpoint, SessionPort port, CheckpointAnswer answer) {
      this(checkpoint, List.of(), port, answer);
    }
  }

  /** The outcome of a checkpoint, called once. */
  public interface CheckpointAnswer {

    /** The checkpoint is durable. */
    void stored();

    /** The checkpoint is not stored. */
    void refused(Exception reason);
  }

  /** Stores checkpoints of different channels with one write, and answers each of them. */
  public void checkpoint(List<CheckpointRequest> together) {
    checkpoints.store(together);
  }

  /**
   * Ends leases, deadlines and tunnels that are due, and deletes tunnels of dropped tables. Call it
   * a few times a second.
   */
  public void tick() {
    if (resigned.isPresent()) {
      return;
    }
    catalog.orphans().forEach(this::delete);
    long now = surroundings.nanos();
    for (TunnelRun run : List.copyOf(runByTunnel.values())) {
      apply(run, run.core().tick(now, catalog.isCertain()));
    }
    bounds.keepFresh(catalog::unfinished, now);
    ends.tick();
  }

  /** The end of a stream channel was found and stored. */
  private void endKnown(TunnelInfo tunnel, ChannelKey key, long end) {
    TunnelRun run = run(tunnel);
    if (run.holds().get(key) != null) {
      sessions.endAt(run.holds().get(key), end);
    }
    apply(run, run.core().endKnown(key, end, surroundings.nanos()));
  }

  /**
   * The worker of a base channel learned the channel's end from the delivering server. Ends of
   * stream channels are found here.
   */
  public void limit(ChannelEnd end, SessionPort port) {
    sessions
        .hold(end.handle())
        .filter(hold -> hold.session().port() == port && hold.epoch() == end.epoch())
        .filter(Hold::isOfRows)
        .filter(
            hold ->
                catalog.channel(hold.session().run().info().tunnelId(), hold.key()).checkpointed()
                    <= end.position())
        .ifPresent(hold -> rowsEnd(hold, end.position()));
  }

  /** The holder of a base channel was sent all rows. */
  private void rowsEnd(Hold hold, long end) {
    TunnelRun run = hold.session().run();
    if (run.core().isHeld(hold.key(), hold.epoch())) {
      apply(run, run.core().endKnown(hold.key(), end, surroundings.nanos()));
    }
  }

  /** Deletes an orphaned tunnel; the next tick retries a failure. */
  private void delete(TunnelInfo orphan) {
    forget(orphan);
    try {
      catalog.deleteTunnel(orphan);
      surroundings.forgetRows(orphan.tunnelId());
      LOGGER.info("tunnel {} is deleted: its table was dropped", orphan.tunnel());
    } catch (IOException e) {
      LOGGER.debug("tunnel {} of a dropped table cannot be deleted yet", orphan.tunnelId(), e);
    }
  }

  /** Forgets a tunnel that is no longer in the catalog, and ends all its sessions. */
  public void forget(TunnelInfo tunnel) {
    ends.forget(tunnel.tunnelId());
    lastEpochByTunnel.remove(tunnel.tunnelId());
    TunnelRun run = runByTunnel.remove(tunnel.tunnelId());
    if (run != null) {
      sessions.forget(
          run, ErrorCode.TUNNEL_NOT_FOUND, "tunnel " + tunnel.tunnel() + " was deleted");
    }
  }

  /**
   * These texts of a failed write turned out to be stored. Their tunnels start again from the
   * catalog, which costs their sessions as much as a lost connection.
   */
  public void stored(Map<String, Optional<String>> changes) {
    for (String tunnelId : catalog.applied(changes)) {
      TunnelRun run = runByTunnel.remove(tunnelId);
      if (run != null) {
        lastEpochByTunnel.put(tunnelId, run.core().lastEpoch());
        sessions.forget(
            run, ErrorCode.SESSION_ENDED, "the session ended: its tunnel was stored late");
      }
      if (!catalog.exists(tunnelId)) {
        ends.forget(tunnelId);
        surroundings.forgetRows(tunnelId);
        lastEpochByTunnel.remove(tunnelId);
      }
    }
    catalog.tunnels(Optional.empty()).forEach(ends::watch);
  }

  /**
   * Ends all sessions, because a second node coordinates these tunnels now; the workers open
   * sessions there. Nothing is stored here any more.
   */
  public void resign(String reason) {
    resigned = Optional.of(reason);
    List.copyOf(runByTunnel.values())
        .forEach(run -> sessions.forget(run, ErrorCode.SESSION_ENDED, reason));
    runByTunnel.clear();
  }

  /** Whether a session with that id is open here. For any thread. */
  boolean hasSession(String sessionId) {
    return sessions.hasSession(sessionId);
  }

  /** Whether a session here holds a channel under that handle. For any thread. */
  boolean hasHandle(int handle) {
    return sessions.hold(handle).isPresent();
  }

  /** Whether a session of this connection holds a channel under that handle. For any thread. */
  public boolean isHeldBy(int handle, SessionPort port) {
    return sessions.hold(handle).filter(hold -> hold.session().port() == port).isPresent();
  }

  /** Carries out the effects of a tunnel's state machine. */
  void apply(TunnelRun run, List<TunnelEffect> effects) {
    sessions.apply(run, effects);
  }

  /**
   * Carries out effects that failed before.
   *
   * @throws IOException when an effect fails again
   */
  void settle(TunnelRun run) throws IOException {
    sessions.apply(run, List.of());
    if (!run.undone().isEmpty()) {
      throw new IOException(
          "the end of a channel of tunnel "
              + run.info().tunnel()
              + " could not be stored yet; try again later");
    }
  }

  /** A tunnel as it is now. */
  public TunnelView view(TunnelInfo tunnel) {
    TunnelRun run = run(tunnel);
    return new TunnelView(
        tunnel,
        catalog.tables().table(tunnel.table()).meta().options().retentionMs(),
        catalog.isPaused(tunnel.tunnelId()),
        run.core().view(),
        TunnelView.Known.of(catalog, run, surroundings.nanos()),
        run.core().sessions(surroundings.nanos()));
  }

  /** The position up to which a channel's worker surely received changes, if there is a worker. */
  public Optional<Long> received(String tunnelId, ChannelKey key) {
    return Optional.ofNullable(runByTunnel.get(tunnelId)).flatMap(run -> run.received(key));
  }

  /** The number of open sessions. */
  public int sessionCount() {
    return sessions.count();
  }
}
