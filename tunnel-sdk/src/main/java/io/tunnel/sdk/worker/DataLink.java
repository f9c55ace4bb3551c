package io.tunnel.sdk.worker;

import io.tunnel.codec.Binary;
import io.tunnel.codec.MalformedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * One connection to a server of partitions, shared by the feeds of all channels that it delivers:
 * one of its own, which closes when nobody needs it, or that of the session. What is said under a
 * handle that no feed has any more is dropped. On the worker's thread.
 */
final class DataLink implements PushReceiver {

  /** A handle that no channel ever has: to detach it does nothing, and is answered. */
  private static final byte[] NOBODY = new ChannelRef(0, 0).encode();

  /** Between an answer and the next question at most. */
  private static final Duration ASK_PAUSE_MAX = Duration.ofSeconds(1);

  /** How long a node may say nothing at all: by then others may have taken its place. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(3);

  private final WorkerRuntime runtime;
  private final Optional<Runnable> onUnused;
  private final CompletableFuture<Link> opened = new CompletableFuture<>();
  private final Set<Feed> users = new LinkedHashSet<>();
  private final Map<Integer, Feed> attached = new HashMap<>();
  private Optional<Link> link = Optional.empty();
  private boolean hasHeard;
  private boolean isClosed;

  /** A link that {@code onUnused} is told of when it has closed, or when nobody needs it. */
  DataLink(WorkerRuntime runtime, Runnable onUnused) {
    this(runtime, Optional.of(onUnused));
  }

  private DataLink(WorkerRuntime runtime, Optional<Runnable> onUnused) {
    this.runtime = runtime;
    this.onUnused = onUnused;
  }

  /**
   * The connection of a session, which opens, watches and closes it, and passes on what it says.
   */
  static DataLink ofSession(WorkerRuntime runtime, Link open) {
    DataLink own = new DataLink(runtime, Optional.empty());
    own.link = Optional.of(open);
    own.opened.complete(open);
    return own;
  }

  void open(CompletableFuture<Link> opening) {
    var unused =
        opening.whenComplete((open, failure) -> runtime.guarded(() -> wasOpened(open, failure)));
  }

  private void wasOpened(Link open, Throwable failure) {
    if (failure != null) {
      close();
      opened.completeExceptionally(failure);
    } else if (isClosed) {
      open.close();
      opened.completeExceptionally(new ConnectionException("not needed", true, null));
    } else {
      link = Optional.of(open);
      opened.complete(open);
      askLater(open);
    }
  }

  /**
   * Asks now and then whether the node is still there: a connection that has broken without a word,
   * or a node that hangs, looks like one on which there is nothing to deliver.
   */
  private void askLater(Link open) {
    Duration heartbeat = runtime.settings().session().heartbeat();
    Duration pause = heartbeat.compareTo(ASK_PAUSE_MAX) < 0 ? heartbeat : ASK_PAUSE_MAX;
    runtime.later(
        pause.toNanos(),
        () -> {
          if (!isClosed) {
            hasHeard = false;
            var unused =
                open.request(Operation.DETACH, NOBODY, SILENCE_MAX)
                    .whenComplete((answer, failure) -> runtime.guarded(() -> asked(open, failure)));
          }
        });
  }

  /** An answer that waits behind deliveries is late, and no silence. */
  private void asked(Link open, Throwable failure) {
    if (failure != null
        && Caller.unwrap(failure) instanceof ConnectionException reason
        && !hasHeard) {
      if (!isClosed) {
        lost(reason);
      }
    } else {
      askLater(open);
    }
  }

  /** The connection, for a feed that uses it until it {@linkplain #leave leaves}. */
  CompletableFuture<Link> join(Feed feed) {
    users.add(feed);
    return opened;
  }

  /** From now on what is said under that handle is the feed's. */
  void attach(int handle, Feed feed) {
    attached.put(handle, feed);
  }

  /** The feed is told nothing more. */
  void leave(Feed feed) {
    users.remove(feed);
    attached.values().removeIf(user -> user == feed);
    if (users.isEmpty()) {
      close();
    }
  }

  void push(Operation operation, byte[] payload) {
    link.ifPresent(open -> open.push(operation, payload));
  }

  /** Asks for something whose answer changes nothing. */
  void tell(Operation operation, byte[] payload) {
    link.ifPresent(
        open -> {
          var unused = open.request(operation, payload);
        });
  }

  void close() {
    if (!isClosed && onUnused.isPresent()) {
      isClosed = true;
      onUnused.get().run();
      link.ifPresent(Link::close);
    }
  }

  @Override
  public void pushed(Frame frame) {
    hasHeard = true;
    if (frame.operation() != null && !isClosed) {
      runtime.guarded(() -> takeOrLeave(frame));
    }
  }

  private void takeOrLeave(Frame frame) {
    try {
      take(frame);
    } catch (MalformedException e) {
      lost(new ConnectionException("a node said what cannot be read", false, e));
    }
  }

  /**
   * Passes on what was pushed about what is delivered.
   *
   * @throws MalformedException when it cannot be read
   */
  void take(Frame frame) {
    if (frame.kind() == FrameKind.ERROR) {
      if (frame.operation() == Operation.DELIVER) {
        RuntimeException reason = ErrorPayload.decode(frame.payload()).toException();
        of(frame.correlationId()).ifPresent(feed -> feed.refused(reason));
      }
      return;
    }
    switch (frame.operation()) {
      case DELIVER -> delivered(frame.payload());
      case END_OF_CHANNEL -> {
        ChannelEnd end = ChannelEnd.decode(frame.payload());
        of(end.handle()).ifPresent(feed -> feed.ended(end));
      }
      case SETTLED -> {
        ChannelEnd upTo = ChannelEnd.decode(frame.payload());
        of(upTo.handle()).ifPresent(feed -> feed.settled(upTo));
      }
      case HELLO,
          CREATE_TABLE,
          DESCRIBE_TABLE,
          LIST_TABLES,
          DROP_TABLE,
          CREATE_TUNNEL,
          DESCRIBE_TUNNEL,
          LIST_TUNNELS,
          DELETE_TUNNEL,
          PARTITION_MAP,
          SEEK,
          PAUSE,
          RESUME,
          END_SESSION,
          ALTER_TABLE,
          EXPORT_CHECKPOINTS,
          DESCRIBE_CLUSTER,
          WRITE,
          GET_ROW,
          GET_RANGE,
          DESCRIBE_NODE,
          DRAIN_NODE,
          OPEN_SESSION,
          CLOSE_SESSION,
          HEARTBEAT,
          ASSIGN,
          REVOKE,
          RELEASE,
          CREDIT,
          CHECKPOINT,
          SESSION_END,
          STOP_CHANNEL,
          ATTACH,
          DETACH,
          LIMIT,
          FENCE,
          READ_PARTITION,
          FIND_POSITIONS,
          CHECKPOINT_SKIPPING -> {
        // No push of these is for a worker here.
      }
    }
  }

  private void delivered(byte[] payload) {
    if (payload.length < Integer.BYTES) {
      throw new MalformedException("a delivery of " + payload.length + " bytes");
    }
    of(Binary.getInt(payload, 0)).ifPresent(feed -> feed.delivered(payload));
  }

  private Optional<Feed> of(int handle) {
    return Optional.ofNullable(attached.get(handle));
  }

  @Override
  public void lost(ConnectionException reason) {
    List<Feed> left = List.copyOf(users);
    runtime.guarded(this::close);
    runtime.guarded(() -> left.forEach(feed -> feed.lost(reason)));
  }
}
