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
import io.tunnel.wire.Frame;
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
 * One connection to a server of partitions, shared by all that it delivers: one of its own, or that
 * of a session. What is said under a handle that nobody has any more is dropped. On the thread of
 * its worker or reader.
 */
public final class DeliveryLink implements PushReceiver {

  /** A handle that no channel ever has: to detach it does nothing, and is answered. */
  private static final byte[] NOBODY = new ChannelRef(0, 0).encode();

  private final Optional<Endpoint> node;
  private final DeliveryThread thread;
  private final Optional<Watch> watch;
  private final Runnable whenClosed;
  private final Pushes pushes = new ToReceivers();
  private final CompletableFuture<Link> opened = new CompletableFuture<>();
  private final Set<Object> users = new HashSet<>();
  private final Map<Integer, PartitionDelivery> attached = new HashMap<>();
  private Optional<Link> link = Optional.empty();
  private boolean hasHeard;
  private boolean isClosed;

  /**
   * How a server is found to be gone of which nothing is heard: a connection that has broken
   * without a word looks like one on which there is nothing to deliver, and so does a server that
   * hangs.
   *
   * @param pause between an answer and the next question
   * @param silenceMax how long the server may say nothing at all; as long as for any answer, if
   *     that is absent
   */
  public record Watch(Duration pause, Optional<Duration> silenceMax) {}

  /**
   * A connection that is yet to {@linkplain #open open}. It closes when nobody uses it any more;
   * {@code whenClosed} is told, once.
   */
  DeliveryLink(
      Optional<Endpoint> node, DeliveryThread thread, Optional<Watch> watch, Runnable whenClosed) {
    this.node = node;
    this.thread = thread;
    this.watch = watch;
    this.whenClosed = whenClosed;
  }

  /** The connection of a session, which watches and closes it, and passes on what it says. */
  public static DeliveryLink ofSession(DeliveryThread thread, Link open) {
    DeliveryLink own = new DeliveryLink(Optional.empty(), thread, Optional.empty(), () -> {});
    own.link = Optional.of(open);
    own.opened.complete(open);
    return own;
  }

  /** Where it leads; empty of the connection of a session. */
  public Optional<Endpoint> node() {
    return node;
  }

  /** It is this connection, when it has opened. */
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
      opened.completeExceptionally(new ConnectionException("not needed", true, null));
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

  /** An answer that waits behind deliveries is late, and no silence. */
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

  /** Asks when the connection has opened. */
  public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
    return opened.thenCompose(open -> open.request(operation, payload));
  }

  /** Says something that has no answer. */
  public void push(Operation operation, byte[] payload) {
    link.ifPresent(open -> open.push(operation, payload));
  }

  /** The connection is needed until the user {@linkplain #leave leaves}. */
  public void join(Object user) {
    users.add(user);
  }

  /** From now on what is said under that handle is the receiver's. */
  void attach(int handle, PartitionDelivery receiver) {
    attached.put(handle, receiver);
  }

  /** Nothing more is wanted under that handle; the server is told. */
  void detach(int handle, long epoch) {
    attached.remove(handle);
    if (!isClosed) {
      var unused = request(Operation.DETACH, new ChannelRef(handle, epoch).encode());
    }
  }

  /** The receiver is told nothing more. */
  void leave(PartitionDelivery receiver) {
    users.remove(receiver);
    attached.values().removeIf(user -> user == receiver);
    if (users.isEmpty()) {
      close();
    }
  }

  /** Whether it is of no use any more. */
  boolean isClosed() {
    return isClosed;
  }

  /** Closes it for good: what waits for the connection fails for that reason. */
  void end(ConnectionException reason) {
    close();
    opened.completeExceptionally(reason);
  }

  private void close() {
    // That of a session is not ours to close.
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
      lost(new ConnectionException("a server said what cannot be read", false, e));
    }
  }

  /**
   * Passes on what was pushed about what is delivered.
   *
   * @throws MalformedException when it cannot be read
   */
  public void take(Frame frame) {
    if (!isClosed) {
      Pushes.pass(frame, pushes);
    }
  }

  /** What is said of a handle is its receiver's. */
  private final class ToReceivers implements Pushes {
    @Override
    public void delivered(byte[] payload) {
      if (payload.length < Integer.BYTES) {
        throw new MalformedException("a delivery of " + payload.length + " bytes");
      }
      of(Binary.getInt(payload, 0)).ifPresent(receiver -> receiver.delivered(payload));
    }

    @Override
    public void refused(int handle, RuntimeException reason) {
      Optional.ofNullable(attached.remove(handle)).ifPresent(receiver -> receiver.failed(reason));
    }

    @Override
    public void ended(ChannelEnd end) {
      of(end.handle()).ifPresent(receiver -> receiver.ended(end));
    }

    @Override
    public void settled(ChannelEnd upTo) {
      of(upTo.handle()).ifPresent(receiver -> receiver.settled(upTo));
    }

    private Optional<PartitionDelivery> of(int handle) {
      return Optional.ofNullable(attached.get(handle));
    }
  }

  @Override
  public void lost(ConnectionException reason) {
    List<PartitionDelivery> left = List.copyOf(new LinkedHashSet<>(attached.values()));
    attached.clear();
    thread.guarded(this::close);
    thread.guarded(() -> left.forEach(receiver -> receiver.failed(reason)));
  }
}
