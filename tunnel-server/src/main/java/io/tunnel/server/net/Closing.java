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

/** How the server ends a connection: with a last word if the client would take one. */
final class Closing {

  static final int NO_OPERATION = 0;

  private static final Logger LOGGER = LoggerFactory.getLogger(Closing.class);

  /** How long a client that is being refused is still read from, so that it gets to see why. */
  private static final long FAREWELL_DEADLINE_S = 2;

  private final ChannelHandlerContext context;
  private final FrameWriter writer;
  private final NetMeter meter;
  private final NetLimits limits;
  private boolean isDoomed;

  /** Lines about strangers are for those who look for them: anybody could fill a disk with more. */
  private volatile Level level = Level.DEBUG;

  Closing(ChannelHandlerContext context, FrameWriter writer, NetMeter meter, NetLimits limits) {
    this.context = context;
    this.writer = writer;
    this.meter = meter;
    this.limits = limits;
  }

  /** The client has said who it is, or does not have to. */
  void entered() {
    level = Level.INFO;
  }

  /** Whether the last word was said, or there is none. */
  boolean isDoomed() {
    return isDoomed;
  }

  /**
   * Says what is wrong and closes: the bytes that follow cannot be trusted to be frames. The client
   * may still be sending; closing at once would reset the connection and could take the answer from
   * it. So only our side is closed, and what comes is thrown away until the client closes too, or
   * for a moment. Only the first word is said. For the event loop.
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
    // Answers of other threads may still be queued for the event loop: the word comes behind them.
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

  /** A client that is going to speak TLS and has not begun would take a word for broken TLS. */
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
    if (tls == null) {
      ((DuplexChannel) context.channel()).shutdownOutput();
    } else {
      // The word waits for the end of a handshake that has begun.
      tls.handshakeFuture().addListener(unused -> tls.closeOutbound());
    }
  }

  /**
   * Ends a connection that the client would have kept; for the event loop. A retriable code tells
   * the client that nothing was done of what is not answered, so while requests are open the
   * connection is closed without a word.
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

  /** Closes without a word, which the client would not take. May be called by any thread. */
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
      case NOT_GREETED, FRAME_LATE -> ErrorCode.INVALID_REQUEST;
      case NOT_AUTHENTICATED -> ErrorCode.NOT_AUTHENTICATED;
      case ONE_TOO_MANY,
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
              + " s where everybody is asked who they are";
      case NOT_AUTHENTICATED ->
          "who this is was not proved within " + Entrance.AUTHENTICATION_DEADLINE_S + " s";
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
              + " bytes untaken, and this one has taken nothing for longest";
      case OWN_ANSWERS_UNTAKEN ->
          "this client leaves more than net.limits.connectionAnswerBytesMax = "
              + limits.connectionAnswerBytesMax()
              + " bytes untaken";
    };
  }
}
