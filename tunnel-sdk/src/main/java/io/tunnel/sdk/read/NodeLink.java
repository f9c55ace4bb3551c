package io.tunnel.sdk.read;

import io.tunnel.codec.MalformedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.PushReceiver;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The connection to one node, shared by the feeds of all partitions that it delivers. What is said
 * under a handle that no feed has is dropped. On the reader's thread.
 */
final class NodeLink implements PushReceiver {

  /** A handle that nothing ever has: to detach it does nothing, and is answered. */
  private static final byte[] NOBODY = new ChannelRef(0, 0).encode();

  private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Endpoint node;
  private final ReadPort port;
  private final Runnable whenClosed;
  private final Map<Integer, PartitionFeed> feeds = new HashMap<>();
  private final CompletableFuture<Link> opened = new CompletableFuture<>();
  private Optional<Link> link = Optional.empty();
  private boolean isClosed;

  NodeLink(Endpoint node, ReadPort port, Runnable whenClosed) {
    this.node = node;
    this.port = port;
    this.whenClosed = whenClosed;
  }

  Endpoint node() {
    return node;
  }

  void open() {
    var unused =
        port.open(node, this)
            .whenComplete(
                (open, failure) -> {
                  if (failure != null) {
                    close();
                    opened.completeExceptionally(Caller.unwrap(failure));
                  } else if (isClosed) {
                    open.close();
                    opened.completeExceptionally(Feeds.closed());
                  } else {
                    link = Optional.of(open);
                    opened.complete(open);
                    askLater(open);
                  }
                });
  }

  /** A connection that broke without a word looks like one on which there is nothing to deliver. */
  private void askLater(Link open) {
    port.later(
        () -> {
          if (!isClosed) {
            var unused =
                open.request(Operation.DETACH, NOBODY)
                    .whenComplete((answer, failure) -> asked(open, failure));
          }
        },
        ASK_NANOS);
  }

  private void asked(Link open, Throwable failure) {
    if (isClosed) {
      return;
    }
    if (failure != null && Caller.unwrap(failure) instanceof ConnectionException reason) {
      lost(reason);
    } else {
      askLater(open);
    }
  }

  CompletableFuture<Frame> request(Operation operation, byte[] payload) {
    return opened.thenCompose(open -> open.request(operation, payload));
  }

  void push(Operation operation, byte[] payload) {
    link.ifPresent(open -> open.push(operation, payload));
  }

  /** From now on what is said under that handle is the feed's. */
  void attach(int handle, PartitionFeed feed) {
    feeds.put(handle, feed);
  }

  /** Nothing more is wanted under that handle. */
  void detach(int handle) {
    feeds.remove(handle);
    if (!isClosed) {
      var unused =
          request(Operation.DETACH, new ChannelRef(handle, PartitionFeed.EPOCH).encode())
              .exceptionally(gone -> null);
    }
  }

  boolean isClosed() {
    return isClosed;
  }

  /** The reader is closed: requests that wait for the connection, or for an answer, fail so. */
  void end() {
    close();
    opened.completeExceptionally(Feeds.closed());
  }

  void close() {
    if (!isClosed) {
      isClosed = true;
      whenClosed.run();
      link.ifPresent(Link::close);
    }
  }

  @Override
  public void pushed(Frame frame) {
    if (frame.operation() == null || isClosed) {
      return;
    }
    try {
      take(frame);
    } catch (MalformedException e) {
      lost(new ConnectionException(node + " said what cannot be read", false, e));
    }
  }

  private void take(Frame frame) {
    if (frame.kind() == FrameKind.ERROR) {
      if (frame.operation() == Operation.DELIVER) {
        PartitionFeed feed = feeds.remove(frame.correlationId());
        if (feed != null) {
          feed.failed(ErrorPayload.decode(frame.payload()).toException());
        }
      }
      return;
    }
    if (frame.operation() == Operation.DELIVER) {
      Delivery delivery = Delivery.decode(frame.payload());
      PartitionFeed feed = feeds.get(delivery.handle());
      if (feed != null) {
        feed.delivered(delivery, frame.payload().length);
      }
    } else if (frame.operation() == Operation.END_OF_CHANNEL) {
      PartitionFeed feed = feeds.get(ChannelEnd.decode(frame.payload()).handle());
      if (feed != null) {
        feed.ended();
      }
    } else if (frame.operation() == Operation.SETTLED) {
      ChannelEnd settled = ChannelEnd.decode(frame.payload());
      PartitionFeed feed = feeds.get(settled.handle());
      if (feed != null) {
        feed.settled(settled.position());
      }
    }
    // Other pushes are a later version's.
  }

  @Override
  public void lost(ConnectionException reason) {
    List<PartitionFeed> left = List.copyOf(feeds.values());
    feeds.clear();
    close();
    left.forEach(feed -> feed.failed(reason));
  }
}
