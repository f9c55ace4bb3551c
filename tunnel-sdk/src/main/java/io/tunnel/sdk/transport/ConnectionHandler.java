package io.tunnel.sdk.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.collection.IntObjectHashMap;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameException;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frames of one connection, and which request each answers. Everything here runs on the
 * connection's event loop, so nothing is locked.
 *
 * <p>A request may have been applied only if the operating system took the last byte of its frame:
 * the server does nothing about a frame that is not whole. That moment is when Netty completes the
 * write, so a write that failed is certainly not applied and one that completed is in doubt.
 */
final class ConnectionHandler extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionHandler.class);

  /** Looks whether something has come in a deadline; silence is noticed at the third or fourth. */
  static final int LOOKS_PER_DEADLINE = 20;

  /** A handle that no channel ever has: to detach it does nothing. */
  private static final byte[] NOBODY = new ChannelRef(0, 0).encode();

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private static final int READ_BYTES_MIN = 4 * 1024;
  private static final int READ_BYTES_START = 64 * 1024;

  /**
   * What is read at once is copied into its frame's array next, so it has to stay in the core's own
   * cache until then. With 1 MiB the thread of a connection took 181 and 179 ns for a row of 220
   * bytes (median), with 64 KiB 150 and 154.
   */
  private static final int READ_BYTES_MAX = 64 * 1024;

  private final String endpoint;
  private final PushReceiver receiver;
  private final FrameAssembler assembler = new FrameAssembler();
  private final IntObjectHashMap<PendingRequest> pending = new IntObjectHashMap<>();
  private final SilenceCore silence = new SilenceCore();
  private ChannelHandlerContext nettyContext;
  private int lastCorrelationId;
  private long receivedBytes;
  private boolean isLooking;
  private long lookNanos;
  private boolean isLost;

  /** Read by any thread. */
  private volatile boolean isSilent;

  private Throwable reason;

  ConnectionHandler(String endpoint, PushReceiver receiver) {
    this.endpoint = endpoint;
    this.receiver = receiver;
  }

  /** Larger reads when much arrives. */
  static RecvByteBufAllocator readBuffers() {
    return new AdaptiveRecvByteBufAllocator(READ_BYTES_MIN, READ_BYTES_START, READ_BYTES_MAX);
  }

  boolean isIdle() {
    return pending.isEmpty();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    nettyContext = context;
  }

  void send(PendingRequest request, byte[] prefix, ByteBuffer payload) {
    if (isLost) {
      request.fail(lost(true));
      return;
    }
    long payloadBytes = (long) prefix.length + payload.remaining();
    if (payloadBytes > Frame.PAYLOAD_BYTES_MAX) {
      // The server would close the connection, on which others wait for their answers.
      request.fail(
          new RefusedException(
              ErrorCode.FRAME_TOO_LARGE,
              "a request of "
                  + payloadBytes
                  + " bytes; at most "
                  + Frame.PAYLOAD_BYTES_MAX
                  + " are allowed"));
      return;
    }
    int id = nextCorrelationId();
    ByteBuf frame;
    try {
      frame = frame(request.operation(), FrameKind.REQUEST, id, prefix, payload);
    } catch (RuntimeException | OutOfMemoryError e) {
      request.fail(new ConnectionException("no memory for a frame: " + e.getMessage(), true, e));
      return;
    }
    pending.put(id, request);
    request.receivedBefore = receivedBytes;
    request.alarm =
        nettyContext
            .executor()
            .schedule(() -> deadlinePassed(id), request.deadline().toNanos(), TimeUnit.NANOSECONDS);
    if (request.mayMove()) {
      lookNanos = request.deadline().toNanos() / LOOKS_PER_DEADLINE;
      lookLater();
    }
    var unused =
        nettyContext
            .writeAndFlush(frame)
            .addListener(
                written -> {
                  if (written.isSuccess()) {
                    request.isSent = true;
                  } else if (pending.remove(id) != null) {
                    reason = reason == null ? written.cause() : reason;
                    request.fail(lost(true));
                  }
                });
  }

  void push(Operation operation, byte[] payload) {
    if (!isLost) {
      ByteBuf frame = frame(operation, FrameKind.PUSH, 0, payload, NOTHING);
      var unused = nettyContext.writeAndFlush(frame, nettyContext.voidPromise());
    }
  }

  private ByteBuf frame(
      Operation operation, FrameKind kind, int correlationId, byte[] prefix, ByteBuffer payload) {
    int payloadBytes = prefix.length + payload.remaining();
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(header, 0, operation.code(), kind, correlationId, payloadBytes);
    return nettyContext
        .alloc()
        .directBuffer(header.length + payloadBytes)
        .writeBytes(header)
        .writeBytes(prefix)
        .writeBytes(payload);
  }

  /** Never 0, which means "no request", and never one that is still waited for. */
  private int nextCorrelationId() {
    do {
      lastCorrelationId++;
    } while (lastCorrelationId == 0 || pending.containsKey(lastCorrelationId));
    return lastCorrelationId;
  }

  /**
   * A connection on which nothing at all has come since the request was sent counts as dead. Only
   * when it is closed is it certain that what was not sent by then never will be: where the
   * connection goes on, the frame does too.
   */
  private void deadlinePassed(int id) {
    PendingRequest request = pending.remove(id);
    if (request == null) {
      return;
    }
    String text =
        endpoint + " did not answer " + request.operation() + " within " + request.deadline();
    boolean isDead = receivedBytes == request.receivedBefore;
    if (isDead) {
      fail(new ConnectionException(text + ", nor anything else", false, null));
    }
    request.fail(new ConnectionException(text, isDead && !request.isSent, null));
    closeIfLeft();
  }

  /** Whether nothing came though something was asked: it is left for another connection. */
  boolean isSilent() {
    return isSilent;
  }

  private void look() {
    boolean isWaitedFor = pending.values().stream().anyMatch(PendingRequest::mayMove);
    switch (silence.look(isWaitedFor, receivedBytes)) {
      case FINE -> {}
      case ASK -> {
        // A sign of life that costs a server next to nothing, be it a refusal.
        ByteBuf frame =
            frame(Operation.DETACH, FrameKind.REQUEST, nextCorrelationId(), NOBODY, NOTHING);
        var unused = nettyContext.writeAndFlush(frame, nettyContext.voidPromise());
      }
      case SILENT -> leave();
    }
    isLooking = false;
    if (isWaitedFor && !isSilent) {
      lookLater();
    }
  }

  private void lookLater() {
    if (!isLooking) {
      isLooking = true;
      var unused = nettyContext.executor().schedule(this::look, lookNanos, TimeUnit.NANOSECONDS);
    }
  }

  /**
   * Nobody asks anything here any more. What may be asked elsewhere fails now; a change is waited
   * for as ever, because it may be applied yet.
   */
  private void leave() {
    isSilent = true;
    String text = endpoint + " says nothing, also when it is asked whether it is there";
    List<PendingRequest> moving = new ArrayList<>();
    pending.values().removeIf(request -> request.mayMove() && moving.add(request));
    moving.forEach(request -> request.fail(new ConnectionException(text, false, null)));
    closeIfLeft();
  }

  private void closeIfLeft() {
    if (isSilent && pending.isEmpty()) {
      fail(new ConnectionException(endpoint + " was left because it said nothing", false, null));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      receivedBytes += bytes.readableBytes();
      for (ByteBuffer part : bytes.nioBuffers()) {
        assembler.feed(part, this::received);
      }
    } catch (FrameException e) {
      fail(e);
    } finally {
      bytes.release();
    }
    closeIfLeft();
  }

  private void received(Frame frame) {
    if (frame.kind() == FrameKind.RESPONSE || frame.kind() == FrameKind.ERROR) {
      // The error of a channel's delivery names the channel where others name the request.
      PendingRequest request = pending.get(frame.correlationId());
      if (request != null && request.operation().code() == frame.operationCode()) {
        pending.remove(frame.correlationId());
        answer(request, frame);
      } else if (frame.kind() == FrameKind.ERROR && frame.operationCode() == 0) {
        fail(refusal(frame));
      } else if (frame.kind() == FrameKind.ERROR) {
        receiver.pushed(frame);
      }
      // Otherwise the answer to a request whose deadline has passed: nobody waits for it.
    } else if (frame.kind() == FrameKind.PUSH) {
      receiver.pushed(frame);
    } else {
      fail(new MalformedException("the server sent a request"));
    }
  }

  private static void answer(PendingRequest request, Frame frame) {
    if (frame.kind() == FrameKind.ERROR) {
      request.fail(refusal(frame));
    } else {
      request.complete(frame);
    }
  }

  private static RuntimeException refusal(Frame frame) {
    try {
      return ErrorPayload.decode(frame.payload()).toException();
    } catch (MalformedException e) {
      return new ConnectionException("an error that cannot be read", false, e);
    }
  }

  /**
   * Bytes or bugs that this connection does not survive. It is closed when this returns: TLS, which
   * would say goodbye and wait until that is sent, is passed by.
   */
  private void fail(Throwable cause) {
    if (reason == null) {
      reason = cause;
    }
    ChannelHandlerContext tls = nettyContext.pipeline().context(SslHandler.class);
    var unused = (tls == null ? nettyContext : tls).close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("connection to {} failed", endpoint, cause);
    // Netty wraps what TLS says.
    fail(cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    isLost = true;
    List<PendingRequest> unanswered = new ArrayList<>(pending.values());
    pending.clear();
    for (PendingRequest request : unanswered) {
      request.fail(lost(!request.isSent || isFarewell()));
    }
    receiver.lost(lost(false));
  }

  /** The server's last words were that of what it has not answered nothing was done. */
  private boolean isFarewell() {
    return reason instanceof RefusedException refused && refused.code().retriable();
  }

  private ConnectionException lost(boolean retriable) {
    String why = reason == null ? "closed" : String.valueOf(reason.getMessage());
    return new ConnectionException(
        "the connection to " + endpoint + " is lost: " + why, retriable, reason);
  }
}
