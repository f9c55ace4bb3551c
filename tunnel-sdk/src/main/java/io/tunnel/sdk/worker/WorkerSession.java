package io.tunnel.sdk.worker;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.delivery.DeliveryLink;
import io.tunnel.sdk.delivery.DeliveryLinks;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.worker.channel.Ending;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.FailureControl.RetryingChannel;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import io.tunnel.wire.control.SessionControl.SessionOpened;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A session on a connection of its own, with the assigned channels. The session, its connection and
 * its channels end together. Runs on the worker's thread.
 */
final class WorkerSession implements PushReceiver {

  private static final Duration CLOSE_DEADLINE = Duration.ofSeconds(2);

  /** Longest pause between two probes of a node that delivers. */
  private static final Duration PROBE_PAUSE_MAX = Duration.ofSeconds(1);

  /** Longest silence of a node that delivers; after that time another node may be the leader. */
  private static final Duration NODE_SILENCE_MAX = Duration.ofSeconds(3);

  private final WorkerRuntime runtime;
  private final WorkerLoop owner;
  private final ChannelTurns<ChannelRunner> turns;
  private final SessionOpening opening;
  private final DeliveryLinks links;
  private final Map<Integer, ChannelRunner> channels = new HashMap<>();
  private Optional<Link> link = Optional.empty();
  private String sessionId = "";
  private List<PrimaryKeySchema> schema = List.of();

  /** The session's connection as a source of deliveries; present once the session is open. */
  private Optional<DeliveryLink> own = Optional.empty();

  /** True when the node has sent anything since the last heartbeat. */
  private boolean hasHeard;

  /** Longest silence of the node before the worker leaves it. */
  private Duration silenceMax;

  private boolean isOver;

  WorkerSession(
      WorkerRuntime runtime,
      WorkerLoop owner,
      ChannelTurns<ChannelRunner> turns,
      SessionOpening opening) {
    WorkerSettings.Session settings = runtime.settings().session();
    this.runtime = runtime;
    this.owner = owner;
    this.turns = turns;
    this.opening = opening;
    this.links = new DeliveryLinks(runtime, watch(settings.heartbeat()), settings.reconnect());
    this.silenceMax = settings.lease();
  }

  private static DeliveryLink.Watch watch(Duration heartbeat) {
    Duration pause = heartbeat.compareTo(PROBE_PAUSE_MAX) < 0 ? heartbeat : PROBE_PAUSE_MAX;
    return new DeliveryLink.Watch(pause, Optional.of(NODE_SILENCE_MAX));
  }

  String sessionId() {
    return sessionId;
  }

  /** The session's connection; the session is open. */
  Link link() {
    return link.orElseThrow();
  }

  /** The session's connection as a source of deliveries; the session is open. */
  DeliveryLink own() {
    return own.orElseThrow();
  }

  /** Connections to other nodes that deliver the session's channels. */
  DeliveryLinks links() {
    return links;
  }

  void open() {
    WorkerSettings settings = runtime.settings();
    byte[] request =
        Json.encode(
            new SessionControl.OpenSession(
                settings.tunnelId(),
                settings.session().clientTag(),
                settings.session().lease().toMillis(),
                settings.session().maxChannels()));
    var unused =
        opening
            .open(request, this, this::connected)
            .whenComplete((answer, failure) -> runtime.guarded(() -> opened(answer, failure)));
  }

  private void connected(Link opened) {
    link = Optional.of(opened);
    if (isOver) {
      opened.close();
    }
  }

  private void opened(Frame answer, Throwable failure) {
    if (failure == null) {
      opened(answer);
    } else {
      over(Caller.unwrap(failure));
    }
  }

  private void opened(Frame answer) {
    if (isOver) {
      return;
    }
    try {
      SessionOpened opened = Json.decode(answer.payload(), SessionOpened.class);
      sessionId = opened.sessionId();
      schema = opened.table().primaryKey();
      silenceMax = silenceMax(opened);
      own = Optional.of(DeliveryLink.ofSession(runtime, link()));
    } catch (MalformedException | NullPointerException e) {
      over(e);
      return;
    }
    owner.opened(this);
    heartbeatLater();
  }

  /** A server without a successor gets as long for an answer as it gives the worker: the lease. */
  private Duration silenceMax(SessionOpened opened) {
    Duration lease = runtime.settings().session().lease();
    Duration said = Duration.ofMillis(opened.silenceMs());
    return said.isZero() || said.compareTo(lease) > 0 ? lease : said;
  }

  /** Sends heartbeats often enough to notice a silence soon after its limit. */
  private void heartbeatLater() {
    Duration usual = runtime.settings().session().heartbeat();
    Duration often = silenceMax.dividedBy(2);
    Duration next = often.compareTo(usual) < 0 ? often : usual;
    runtime.later(next.toNanos(), this::heartbeat);
  }

  private void heartbeat() {
    if (isOver) {
      return;
    }
    hasHeard = false;
    byte[] payload = Json.encode(new Heartbeat(sessionId, retrying()));
    var unused =
        link()
            .request(Operation.HEARTBEAT, payload, silenceMax)
            .whenComplete(
                (answer, failure) ->
                    runtime.guarded(() -> heartbeatAnswered(Caller.unwrap(failure))));
  }

  private void heartbeatAnswered(Throwable reason) {
    if (reason == null || (reason instanceof RefusedException refused && refused.retriable())) {
      healthy();
      heartbeatLater();
    } else if (reason instanceof ConnectionException silence && !isOver) {
      silent(silence);
    } else {
      over(reason);
    }
  }

  /** A late answer may wait behind deliveries: only a silent node counts as lost. */
  private void silent(ConnectionException reason) {
    if (hasHeard) {
      heartbeatLater();
    } else {
      lost(reason);
    }
  }

  private List<RetryingChannel> retrying() {
    return channels.values().stream()
        .flatMap(channel -> channel.retrying().stream())
        .limit(Heartbeat.RETRYING_MAX)
        .toList();
  }

  @Override
  public void pushed(Frame frame) {
    hasHeard = true;
    if (!isOver) {
      runtime.guarded(() -> take(frame));
    }
  }

  private void take(Frame frame) {
    try {
      own.ifPresent(all -> all.take(frame));
      if (frame.kind() != FrameKind.ERROR) {
        handle(frame.operation(), frame.payload());
      }
    } catch (MalformedException e) {
      over(e);
    }
  }

  /** Handles a push about the session and its channels; {@link #own} handles deliveries. */
  private void handle(Operation operation, byte[] payload) {
    if (operation == Operation.ASSIGN) {
      add(Json.decode(payload, Assignment.class));
    } else if (operation == Operation.REVOKE) {
      Revocation revocation = Json.decode(payload, Revocation.class);
      holding(revocation.handle(), revocation.epoch())
          .ifPresent(channel -> channel.end(Ending.REVOKED));
    } else if (operation == Operation.FENCE) {
      Fence fence = Json.decode(payload, Fence.class);
      holding(fence.handle(), fence.epoch()).ifPresent(channel -> channel.end(Ending.FENCED));
    } else if (operation == Operation.RENEW) {
      Renewal renewal = Renewal.decode(payload);
      holding(renewal.handle(), renewal.epoch())
          .ifPresent(channel -> channel.feed().renewed(renewal.grant()));
    } else if (operation == Operation.LIMIT) {
      ChannelEnd end = ChannelEnd.decode(payload);
      holding(end.handle(), end.epoch()).ifPresent(channel -> channel.feed().limit(end.position()));
    } else if (operation == Operation.SESSION_END) {
      SessionEnd end = Json.decode(payload, SessionEnd.class);
      if (end.sessionId().equals(sessionId)) {
        over(new RefusedException(end.code(), end.reason()));
      }
    }
  }

  private void add(Assignment assignment) {
    if (!assignment.sessionId().equals(sessionId)) {
      return;
    }
    ChannelRunner former = channels.remove(assignment.handle());
    if (former != null) {
      former.end(Ending.FENCED);
    }
    ChannelRunner[] made = new ChannelRunner[1];
    WorkerRuntime told = runtime.toldTo(reason -> broken(made[0], reason));
    ChannelRunner channel = new ChannelRunner(assignment, schema, this, turns, told);
    made[0] = channel;
    channels.put(assignment.handle(), channel);
    owner.assigned(channel);
  }

  private Optional<ChannelRunner> holding(int handle, long epoch) {
    return Optional.ofNullable(channels.get(handle))
        .filter(channel -> channel.assignment().epoch() == epoch);
  }

  /** The server has answered a heartbeat or stored a checkpoint. */
  void healthy() {
    owner.healthy();
  }

  /** A channel of the session has ended. */
  void closed(ChannelRunner channel) {
    channels.remove(channel.assignment().handle(), channel);
    owner.closed(channel);
  }

  /** Ends all channels gracefully. */
  void endChannels() {
    List.copyOf(channels.values()).forEach(channel -> channel.end(Ending.SHUTDOWN));
  }

  /** Ends the session at the server, then its connection. */
  void close() {
    if (isOver || link.isEmpty() || sessionId.isEmpty()) {
      over(new ConnectionException("the worker is shut down", false, null));
      return;
    }
    byte[] payload = Json.encode(new SessionControl.SessionId(sessionId));
    var unused =
        link()
            .request(Operation.CLOSE_SESSION, payload, CLOSE_DEADLINE)
            .whenComplete(
                (answer, failure) ->
                    over(new ConnectionException("the worker is shut down", false, failure)));
  }

  @Override
  public void lost(ConnectionException reason) {
    opening.forget();
    over(reason);
  }

  /** Ends the session here. Tells the owner, even if ending a part of the session fails. */
  void over(Throwable reason) {
    if (isOver) {
      return;
    }
    isOver = true;
    runtime.guarded(this::endDeliveries);
    runtime.guarded(() -> link.ifPresent(Link::close));
    List.copyOf(channels.values()).forEach(this::lose);
    owner.over(this, reason);
  }

  private void endDeliveries() {
    channels.values().forEach(channel -> channel.feed().end());
    links.end(new ConnectionException("session " + sessionId + " is over", false, null));
  }

  private void lose(ChannelRunner channel) {
    try {
      channel.end(Ending.LOST);
    } catch (RuntimeException | Error e) {
      broken(channel, e);
    }
  }

  /**
   * An invariant of a channel is broken: ends the session, and closes the channel, which may be
   * unable to close itself.
   */
  private void broken(ChannelRunner channel, Throwable reason) {
    runtime.broken().accept(reason);
    over(reason);
    channel.abandon();
  }
}
