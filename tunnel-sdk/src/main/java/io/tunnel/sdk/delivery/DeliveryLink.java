package io.tunnel.sdk.delivery;

import io.tunnel.codec.Binary;
import io.tunnel.codec.MalformedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
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
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A connection to a server, shared by the deliveries of its partitions: a connection of its own, or
 * the connection of a session. Pushes for unknown handles are dropped. Runs on the thread of its
 * worker or reader.
 */
public final class DeliveryLink implements PushReceiver {

  /** A handle that no channel has. The server answers its DETACH, which has no effect. */
  private static final byte[] NOBODY = new ChannelRef(0, 0).encode();

  private final Optional<Endpoint> node;
  private final DeliveryThread thread;
  private final Optional<Watch> watch;
  private final Runnable whenClosed;
  private final CompletableFuture<Link> opened = new CompletableFuture<>();
  private final Set<Object> users = new HashSet<>();
  private final Map<Integer, PartitionDelivery> attached = new HashMap<>();
  private Optional<Link> link = Optional.empty();
  private boolean hasHeard;
  private boolean isClosed;

  /**
   * How to detect a dead server: a broken connection or a hanging server looks like a server with
   * nothing to deliver, so the client sends a probe from time to time.
   *
   * @param pause time between an answer and the next probe
   * @param silenceMax longest silence of a live server; the client's request deadline if absent
   */
  public record Watch(Duration pause, Optional<Duration> silenceMax) {}

  /**
   * A connection before {@link #open}. It closes when its last user leaves; then {@code whenClosed}
   * runs, once.
   */
  DeliveryLink(
      Optional<Endpoint> node, DeliveryThread thread, Optional<Watch> watch, Runnable whenClosed) {
    this.node = node;
    this.thread = thread;
    this.watch = watch;
    this.whenClosed = whenClosed;
  }

  /** The connection of a session. The session watches and closes it, and forwards its pushes. */
  public static DeliveryLink ofSession(DeliveryThread thread, Link open) {
    DeliveryLink own = new DeliveryLink(Optional.empty(), thread, Optional.empty(), () -> {});
    own.link = Optional.of(open);
    own.opened.complete(open);
    return own;
  }

  /** The server's address; empty for the connection of a session. */
  public Optional<Endpoint> node() {
    return node;
  }

  /** Uses the connection {@code opening} once it is open. */
  void open(CompletableFuture<Link> opening) {
    var unused =
        opening.whenComplete((open, failure) -> thread.guarded(() -> wasOpened(open, failure)));
  }

  private void wasOpened(Link open, Throwable failure) {
    if (failure != null) {
      close();
      opened.completeExceptionally(Caller.unwrap(failure));
    } else if (isClosed) {
      open.close();
      opened.completeExceptionally(
          new ConnectionException(
              "the connection to " + node.map(Endpoint::toString).orElse("?") + " has no user left",
              true,
              null));
    } else {
      link = Optional.of(open);
      opened.complete(open);
      watch.ifPresent(how -> askLater(open, how));
    }
  }

  private void askLater(Link open, Watch how) {
    thread.later(
        how.pause().toNanos(),
        () -> {
          if (!isClosed) {
            hasHeard = false;
            var unused =
                ask(open, how)
                    .whenComplete(
                        (answer, failure) -> thread.guarded(() -> asked(open, how, failure)));
          }
        });
  }

  private static CompletableFuture<Frame> ask(Link open, Watch how) {
    return how.silenceMax()
        .map(deadline -> open.request(Operation.DETACH, NOBODY, deadline))
        .orElseGet(() -> open.request(Operation.DETACH, NOBODY));
  }

  /** A late answer may wait behind deliveries: only a silent server counts as lost. */
  private void asked(Link open, Watch how, Throwable failure) {
    if (isClosed) {
      return;
    }
    if (failure != null
        && Caller.unwrap(failure) instanceof ConnectionException reason
        && !hasHeard) {
      lost(reason);
    } else {
      askLater(open, how);
    }
  }

  /** Sends a request once the connection is open. */
  public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
    return opened.thenCompose(open -> open.request(operation, payload));
  }

  /** Sends a push, which has no answer; dropped before the connection is open. */
  public void push(Operation operation, byte[] payload) {
    link.ifPresent(open -> open.push(operation, payload));
  }

  /** Keeps the connection open until {@code user} {@linkplain #leave leaves}. */
  public void join(Object user) {
    users.add(user);
  }

  /** Routes pushes for {@code handle} to {@code receiver}. */
  void attach(int handle, PartitionDelivery receiver) {
    attached.put(handle, receiver);
  }

  /** Ends the delivery under {@code handle}, and tells the server. */
  void detach(int handle, long epoch) {
    attached.remove(handle);
    if (!isClosed) {
      var unused = request(Operation.DETACH, new ChannelRef(handle, epoch).encode());
    }
  }

  /** Routes no more pushes to {@code user}; closes the connection after the last user. */
  void leave(Object user) {
    users.remove(user);
    attached.values().removeIf(receiver -> receiver == user);
    if (users.isEmpty()) {
      close();
    }
  }

  /** True when the connection is closed for good. */
  boolean isClosed() {
    return isClosed;
  }

  /** Closes the connection; requests that wait for it fail with {@code reason}. */
  void end(ConnectionException reason) {
    close();
    opened.completeExceptionally(reason);
  }

  private void close() {
    // A connection without a watch belongs to a session, which closes it.
    if (!isClosed && watch.isPresent()) {
      isClosed = true;
      whenClosed.run();
      link.ifPresent(Link::close);
    }
  }

  @Override
  public void pushed(Frame frame) {
    hasHeard = true;
    thread.guarded(() -> takeOrLeave(frame));
  }

  private void takeOrLeave(Frame frame) {
    try {
      take(frame);
    } catch (MalformedException e) {
      lost(new ConnectionException("the server sent a malformed push", false, e));
    }
  }

  /**
   * Routes a push about deliveries to the receiver of its handle; drops any other push.
   *
   * @throws MalformedException when the frame cannot be decoded
   */
  public void take(Frame frame) {
    Operation operation = frame.operation();
    if (isClosed || operation == null) {
      return;
    }
    if (frame.kind() == FrameKind.ERROR) {
      if (operation == Operation.DELIVER) {
        RuntimeException reason = ErrorPayload.decode(frame.payload()).toException();
        Optional.ofNullable(attached.remove(frame.correlationId()))
            .ifPresent(receiver -> receiver.failed(reason));
      }
    } else if (operation == Operation.DELIVER) {
      deliver(frame.payload());
    } else if (operation == Operation.END_OF_CHANNEL) {
      ChannelEnd end = ChannelEnd.decode(frame.payload());
      receiver(end.handle()).ifPresent(receiver -> receiver.ended(end));
    } else if (operation == Operation.SETTLED) {
      ChannelEnd upTo = ChannelEnd.decode(frame.payload());
      receiver(upTo.handle()).ifPresent(receiver -> receiver.settled(upTo));
    }
  }

  private void deliver(byte[] payload) {
    if (payload.length < Integer.BYTES) {
      throw new MalformedException("a delivery of " + payload.length + " bytes");
    }
    receiver(Binary.getInt(payload, 0)).ifPresent(receiver -> receiver.delivered(payload));
  }

  private Optional<PartitionDelivery> receiver(int handle) {
    return Optional.ofNullable(attached.get(handle));
  }

  @Override
  public void lost(ConnectionException reason) {
    List<PartitionDelivery> left = List.copyOf(new LinkedHashSet<>(attached.values()));
    attached.clear();
    thread.guarded(this::close);
    thread.guarded(() -> left.forEach(receiver -> receiver.failed(reason)));
  }
}
