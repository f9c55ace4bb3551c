package io.tunnel.sdk.worker;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.delivery.Pushes;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.sdk.worker.channel.Ending;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Frame;
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
import java.util.concurrent.CompletableFuture;

/**
 * One session on one connection, with the channels assigned to it. When either ends, both do, and
 * the channels with them. On the worker's thread only.
 */
final class WorkerSession implements PushReceiver, ChannelPort {

  private static final Duration CLOSE_DEADLINE = Duration.ofSeconds(2);

  private final WorkerRuntime runtime;
  private final SessionOwner owner;
  private final SessionOpening opening;
  private final Pushes pushes = new ToSession();
  private final Map<Integer, ChannelRunner> channels = new HashMap<>();
  private Optional<Link> link = Optional.empty();
  private String sessionId = "";
  private List<PrimaryKeySchema> schema = List.of();

  /** Of its channels; there since the session is open. */
  private Optional<Feeds> feeds = Optional.empty();

  /** Whether anything was heard since the last heartbeat was sent. */
  private boolean hasHeard;

  /** How long the node may say nothing before it is left. */
  private Duration silenceMax;

  private boolean isOver;

  WorkerSession(WorkerRuntime runtime, SessionOwner owner, SessionOpening opening) {
    this.runtime = runtime;
    this.owner = owner;
    this.opening = opening;
    this.silenceMax = runtime.settings().session().lease();
  }

  String sessionId() {
    return sessionId;
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
      feeds = Optional.of(new Feeds(runtime, this, link.orElseThrow()));
    } catch (MalformedException | NullPointerException e) {
      over(e);
      return;
    }
    owner.opened(this);
    heartbeatLater();
  }

  /** A server whose place nobody takes is given as long to answer as it gives us. */
  private Duration silenceMax(SessionOpened opened) {
    Duration lease = runtime.settings().session().lease();
    Duration said = Duration.ofMillis(opened.silenceMs());
    return said.isZero() || said.compareTo(lease) > 0 ? lease : said;
  }

  /** Often enough that a silence is noticed when it is not much longer than it may be. */
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
        link.orElseThrow()
            .request(Operation.HEARTBEAT, payload, silenceMax)
            .whenComplete(
                (answer, failure) ->
                    runtime.guarded(() -> heartbeatAnswered(Caller.unwrap(failure))));
  }

  private void heartbeatAnswered(Throwable reason) {
    if (reason == null || (reason instanceof RefusedException refused && refused.retriable())) {
      owner.healthy();
      heartbeatLater();
    } else if (reason instanceof ConnectionException silence && !isOver) {
      silent(silence);
    } else {
      over(reason);
    }
  }

  /** An answer that waits behind deliveries is late, and no silence. */
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
      feeds.ifPresent(all -> all.own().take(frame));
      Pushes.pass(frame, pushes);
    } catch (MalformedException e) {
      over(e);
    }
  }

  /** What is said of the session; of deliveries its feeds are told. */
  private final class ToSession implements Pushes {
    @Override
    public void assigned(Assignment assignment) {
      add(assignment);
    }

    @Override
    public void revoked(Revocation revocation) {
      holding(revocation.handle(), revocation.epoch())
          .ifPresent(channel -> channel.end(Ending.REVOKED));
    }

    @Override
    public void fenced(Fence fence) {
      holding(fence.handle(), fence.epoch()).ifPresent(channel -> channel.end(Ending.FENCED));
    }

    @Override
    public void renewed(Renewal renewal) {
      feedOf(renewal.handle(), renewal.epoch()).ifPresent(feed -> feed.renewed(renewal.grant()));
    }

    @Override
    public void limited(ChannelEnd end) {
      feedOf(end.handle(), end.epoch()).ifPresent(feed -> feed.limit(end.position()));
    }

    private Optional<Feed> feedOf(int handle, long epoch) {
      return holding(handle, epoch).flatMap(channel -> feeds.flatMap(all -> all.of(channel)));
    }

    @Override
    public void sessionEnded(SessionEnd end) {
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
    ChannelRunner channel = new ChannelRunner(assignment, schema, this, told);
    made[0] = channel;
    channels.put(assignment.handle(), channel);
    feeds.orElseThrow().add(channel);
    owner.assigned(channel);
  }

  private Optional<ChannelRunner> holding(int handle, long epoch) {
    return Optional.ofNullable(channels.get(handle))
        .filter(channel -> channel.assignment().epoch() == epoch);
  }

  @Override
  public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
    return link.orElseThrow().request(operation, payload);
  }

  @Override
  public void push(Operation operation, byte[] payload) {
    link.orElseThrow().push(operation, payload);
  }

  @Override
  public void granted(ChannelRunner channel) {
    // A channel that closed before this one may give it credit when the session is about to end.
    if (!isOver) {
      feeds.orElseThrow().of(channel).ifPresent(Feed::granted);
    }
  }

  @Override
  public void sessionEnded(Throwable reason) {
    over(reason);
  }

  @Override
  public void checkpointStored() {
    owner.checkpointStored();
  }

  @Override
  public void noted(String channelId, Throwable reason) {
    owner.noted("channel " + channelId, reason);
  }

  @Override
  public void troubled(String channelId, Throwable reason) {
    owner.troubled("channel " + channelId, reason);
  }

  @Override
  public void opened(ChannelRunner channel) {
    owner.opened(channel);
  }

  @Override
  public void processed(ChannelRunner channel, int bytes) {
    owner.processed(channel, bytes);
  }

  @Override
  public void closed(ChannelRunner channel) {
    channels.remove(channel.assignment().handle(), channel);
    feeds.ifPresent(all -> all.remove(channel));
    owner.closed(channel);
  }

  /** All channels end gracefully. */
  void endChannels() {
    List.copyOf(channels.values()).forEach(channel -> channel.end(Ending.SHUTDOWN));
  }

  /** Ends the session, then its connection. */
  void close() {
    if (isOver || link.isEmpty() || sessionId.isEmpty()) {
      over(new ConnectionException("the worker is shut down", false, null));
      return;
    }
    byte[] payload = Json.encode(new SessionControl.SessionId(sessionId));
    var unused =
        link.get()
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

  /** The session is no more. Whatever goes wrong with its parts, its owner is told. */
  void over(Throwable reason) {
    if (isOver) {
      return;
    }
    isOver = true;
    runtime.guarded(() -> feeds.ifPresent(Feeds::end));
    runtime.guarded(() -> link.ifPresent(Link::close));
    List.copyOf(channels.values()).forEach(this::lose);
    owner.over(this, reason);
  }

  private void lose(ChannelRunner channel) {
    try {
      channel.end(Ending.LOST);
    } catch (RuntimeException | Error e) {
      broken(channel, e);
    }
  }

  /**
   * An invariant of a channel is broken: the session is over, and the channel is closed though it
   * may not come to that itself, so that nobody waits for it.
   */
  private void broken(ChannelRunner channel, Throwable reason) {
    runtime.broken().accept(reason);
    over(reason);
    channel.abandon();
  }
}
