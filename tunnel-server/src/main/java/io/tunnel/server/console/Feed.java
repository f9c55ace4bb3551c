package io.tunnel.server.console;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.tunnel.model.RefusedException;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.wire.Operation.Right;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends snapshots to the browsers that watch, as server-sent events. A snapshot is made once a
 * second, only while somebody watches, and all browsers get its bytes. A browser that has not taken
 * its last snapshot misses the next ones, so one snapshot of each browser waits at most.
 */
final class Feed {

  /** Ticks after which a browser that takes nothing is gone. */
  private static final int UNTAKEN_TICKS_MAX = 60;

  private static final byte[] RETRY = "retry: 1000\n\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] BEGIN = "event: snapshot\ndata: ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] END = "\n\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

  private static final Logger LOGGER = LoggerFactory.getLogger(Feed.class);

  private final Snapshots snapshots;
  private final Function<Visitor, Optional<Visitor>> current;
  private final Map<ChannelHandlerContext, Viewer> viewers = new ConcurrentHashMap<>();
  private boolean isWatched;

  /** A browser that watches. The fields belong to the event loop of its connection. */
  private static final class Viewer {
    private final Visitor visitor;
    private final OnBehalf who;
    private boolean isUntaken;
    private int untakenTicks;

    Viewer(Visitor visitor, OnBehalf who) {
      this.visitor = visitor;
      this.who = who;
    }
  }

  /**
   * A feed without viewers.
   *
   * @param current the visitor as it is now; empty when its session has ended
   */
  Feed(Snapshots snapshots, Function<Visitor, Optional<Visitor>> current) {
    this.snapshots = snapshots;
    this.current = current;
  }

  /** Adds a browser, to which the head of the answer was sent. On its connection's event loop. */
  void join(ChannelHandlerContext ctx, Visitor visitor) {
    OnBehalf who = visitor.onBehalf(ctx.channel().remoteAddress());
    viewers.put(ctx, new Viewer(visitor, who));
    ctx.channel().closeFuture().addListener(closed -> viewers.remove(ctx));
    ctx.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(RETRY)));
  }

  /** Browsers that watch. */
  int count() {
    return viewers.size();
  }

  /** Sends a snapshot to all who watch. Call it every second, on one thread. */
  void tick() {
    if (viewers.isEmpty()) {
      isWatched = false;
      return;
    }
    if (!isWatched) {
      isWatched = true;
      snapshots.begin();
    }
    Map<ChannelHandlerContext, Viewer> staying = new HashMap<>();
    viewers.forEach(
        (ctx, viewer) -> {
          if (mayRead(viewer.visitor)) {
            staying.put(ctx, viewer);
          } else {
            ctx.executor().execute(() -> ctx.close());
          }
        });
    if (staying.isEmpty()) {
      return;
    }
    byte[] event = event(staying.values().iterator().next().who);
    staying.forEach((ctx, viewer) -> ctx.executor().execute(() -> send(ctx, viewer, event)));
  }

  /** The next snapshot; a heartbeat if it cannot be made. */
  private byte[] event(OnBehalf who) {
    try {
      byte[] snapshot = snapshots.snapshot(who);
      ByteBuf whole = Unpooled.wrappedBuffer(BEGIN, snapshot, END);
      byte[] event = new byte[whole.readableBytes()];
      whole.readBytes(event);
      return event;
    } catch (RuntimeException e) {
      LOGGER.warn("cannot make a snapshot for the console: {}; will try again in 1 s", e, e);
      return HEARTBEAT;
    }
  }

  private boolean mayRead(Visitor visitor) {
    try {
      return current
          .apply(visitor)
          .filter(one -> one.caller().mayOnCluster(Right.READ))
          .isPresent();
    } catch (RefusedException e) {
      return false;
    }
  }

  private static void send(ChannelHandlerContext ctx, Viewer viewer, byte[] event) {
    if (viewer.isUntaken) {
      viewer.untakenTicks++;
      if (viewer.untakenTicks >= UNTAKEN_TICKS_MAX) {
        ctx.close();
      }
    } else if (ctx.channel().isActive()) {
      viewer.isUntaken = true;
      ctx.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(event)))
          .addListener(
              taken -> {
                viewer.isUntaken = false;
                viewer.untakenTicks = 0;
              });
    }
  }
}
