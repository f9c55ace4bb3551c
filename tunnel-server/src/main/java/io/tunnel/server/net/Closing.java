package io.tunnel.server.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.tunnel.model.ErrorCode;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.access.Entrance;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.FrameKind;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Closes a connection, with a last message if the client would read one. */
final class Closing {

  static final int NO_OPERATION = 0;

  private static final Logger LOGGER = LoggerFactory.getLogger(Closing.class);

  /** Seconds for which a refused client is still read from, so that it receives the reason. */
  private static final long FAREWELL_DEADLINE_S = 2;

  private final ChannelHandlerContext context;
  private final FrameWriter writer;
  private final NetMeter meter;
  private final NetLimits limits;
  private boolean isDoomed;

  /** Unauthenticated clients are logged at a low level, because they could fill a disk. */
  private volatile Level level = Level.DEBUG;

  Closing(ChannelHandlerContext context, FrameWriter writer, NetMeter meter, NetLimits limits) {
    this.context = context;
    this.writer = writer;
    this.meter = meter;
    this.limits = limits;
  }

  /** The client is authenticated, or need not be. */
  void entered() {
    level = Level.INFO;
  }

  /** Whether the connection is closing, with or without a last message. */
  boolean isDoomed() {
    return isDoomed;
  }

  /**
   * Sends an error and closes, because the bytes that follow may not be frames. Closing at once
   * while the client is sending would reset the connection, and the client could lose the error. So
   * only our direction is closed, and bytes are discarded until the client closes too, or for
   * {@value #FAREWELL_DEADLINE_S} s. Only the first error is sent. For the event loop.
   */
  void doom(int operation, int correlationId, ErrorCode code, String message) {
    if (isDoomed) {
      return;
    }
    isDoomed = true;
    context.channel().config().setAutoRead(true);
    log(message);
    meter.refused(code);
    byte[] word = new ErrorPayload(code, message).encode();
    // Answers of other threads may be queued for the event loop: the error is sent behind them.
    whenReadable(
        () -> context.channel().eventLoop().execute(() -> say(operation, correlationId, word)));
    context
        .channel()
        .eventLoop()
        .schedule(() -> context.close(), FAREWELL_DEADLINE_S, TimeUnit.SECONDS);
  }

  private void say(int operation, int correlationId, byte[] word) {
    writer.send(operation, FrameKind.ERROR, correlationId, word);
    context.channel().eventLoop().execute(this::shutdownOutput);
  }

  /** A client that expects TLS could not read an error before the handshake. */
  private void whenReadable(Runnable word) {
    if (context.pipeline().get(OptionalSslHandler.class) == null) {
      word.run();
    } else {
      context.pipeline().addBefore(context.name(), null, new Handshake(word));
    }
  }

  /** Waits for the end of a handshake. */
  private static final class Handshake extends ChannelInboundHandlerAdapter {
    private final Runnable then;

    Handshake(Runnable then) {
      this.then = then;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
        then.run();
      }
      ctx.fireUserEventTriggered(event);
    }
  }

  private void shutdownOutput() {
    SslHandler tls = context.pipeline().get(SslHandler.class);
    if (tls != null) {
      // The error waits for the end of a running handshake.
      tls.handshakeFuture().addListener(unused -> tls.closeOutbound());
    } else if (context.channel() instanceof DuplexChannel twoWay) {
      twoWay.shutdownOutput();
    } else {
      // The server's connection to itself: the error has arrived already.
      context.close();
    }
  }

  /**
   * Ends a connection that the client would have kept; for the event loop. A retriable code would
   * promise that unanswered requests had no effect, so a connection with open requests is closed
   * without a message.
   *
   * @param areAllAnswered whether no request of the connection is open
   */
  void farewell(Farewell why, boolean areAllAnswered) {
    if (isDoomed) {
      return;
    }
    if (areAllAnswered || !code(why).retriable()) {
      meter.closed(why);
      doom(NO_OPERATION, 0, code(why), text(why));
    } else {
      isDoomed = true;
      atOnce(why);
    }
  }

  /** Closes without a message, which the client would not read. For any thread. */
  void atOnce(Farewell why) {
    context
        .channel()
        .eventLoop()
        .execute(
            () -> {
              meter.closed(why);
              log(text(why));
              context.close();
            });
  }

  private void log(String why) {
    LOGGER.atLevel(level).log("closing {}: {}", context.channel().remoteAddress(), why);
  }

  private static ErrorCode code(Farewell why) {
    return switch (why) {
      case FRAME_LATE -> ErrorCode.INVALID_REQUEST;
      // A client that stood still, or whose network did, is late and may try again.
      case NOT_GREETED,
          NOT_AUTHENTICATED,
          ONE_TOO_MANY,
          ADDRESS_CROWDED,
          IDLE,
          FRAME_CROWDED_OUT,
          ANSWERS_UNTAKEN,
          OWN_ANSWERS_UNTAKEN ->
          ErrorCode.BUSY;
    };
  }

  private String text(Farewell why) {
    return switch (why) {
      case NOT_GREETED ->
          "no HELLO came in time, which is "
              + Entrance.GREETING_DEADLINE_S
              + " s, or "
              + Entrance.AUTHENTICATION_DEADLINE_S
              + " s where everybody is asked who they are; connect again";
      case NOT_AUTHENTICATED ->
          "the client did not authenticate within "
              + Entrance.AUTHENTICATION_DEADLINE_S
              + " s; connect again";
      case ONE_TOO_MANY ->
          "the server has as many connections as it accepts, net.connectionsMax; close some, or"
              + " raise it";
      case ADDRESS_CROWDED ->
          "this address has net.limits.connectionsPerAddressMax = "
              + limits.connectionsPerAddressMax()
              + " connections; close some, or raise it";
      case IDLE ->
          "nothing was asked for here, or held, for net.limits.idleMsMax = "
              + limits.idleMsMax()
              + " ms; connect again";
      case FRAME_LATE ->
          "a frame that began was not whole within "
              + limits.frameMsMax()
              + " ms, net.limits.frameMsMax";
      case FRAME_CROWDED_OUT ->
          "frames that have begun and are not whole take more than net.limits.partialBytesMax = "
              + limits.partialBytesMax()
              + " bytes; send frames to their ends, and try again";
      case ANSWERS_UNTAKEN ->
          "clients leave more than net.limits.answerBytesMax = "
              + limits.answerBytesMax()
              + " bytes untaken, and this client has taken nothing for the longest time";
      case OWN_ANSWERS_UNTAKEN ->
          "this client leaves more than net.limits.connectionAnswerBytesMax = "
              + limits.connectionAnswerBytesMax()
              + " bytes untaken";
    };
  }
}
