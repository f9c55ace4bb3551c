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
 * Sends and receives the frames of one connection, and matches answers to requests. All code here
 * runs on the connection's event loop, without locks.
 *
 * <p>A request may have been applied only if the operating system took the last byte of its frame:
 * the server ignores a frame that is not whole. Netty completes the write at that moment, so a
 * request whose write failed is certainly not applied, and a request whose write completed is in
 * doubt.
 */
final class ConnectionHandler extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionHandler.class);

  /**
   * Checks for received bytes during one request deadline; the third or fourth check finds silence.
   */
  static final int LOOKS_PER_DEADLINE = 20;

  /** A handle that no channel ever has: the server answers its DETACH and does nothing. */
  private static final byte[] NOBODY = new ChannelRef(0, 0).encode();

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private static final int READ_BYTES_MIN = 4 * 1024;
  private static final int READ_BYTES_START = 64 * 1024;

  /**
   * Bytes of one read at most. They are copied into the frame's array next, and should still be in
   * the core's own cache. With 1 MiB a connection's thread took 181 and 179 ns for a row of 220
   * bytes (median), with 64 KiB 150 and 154 ns.
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

  /** Written on the event loop, read by any thread. */
  private volatile boolean isSilent;

  private Throwable reason;

  ConnectionHandler(String endpoint, PushReceiver receiver) {
    this.endpoint = endpoint;
    this.receiver = receiver;
  }

  /** Buffers that grow when much arrives. */
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
      // The server would close the connection, and fail all other requests on it.
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
      request.fail(new ConnectionException("cannot allocate a frame: " + e.getMessage(), true, e));
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

  /** Never 0, which means "no request", and never the id of an unanswered request. */
  private int nextCorrelationId() {
    do {
      lastCorrelationId++;
    } while (lastCorrelationId == 0 || pending.containsKey(lastCorrelationId));
    return lastCorrelationId;
  }

  /**
   * A connection that has received nothing since the request was sent counts as dead, and is
   * closed. Only then is an unsent frame certainly never applied: on an open connection the frame
   * may still go out.
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

  /**
   * Whether the server is silent: it sent nothing although a probe asked. Callers use another
   * connection.
   */
  boolean isSilent() {
    return isSilent;
  }

  private void look() {
    boolean isWaitedFor = pending.values().stream().anyMatch(PendingRequest::mayMove);
    switch (silence.look(isWaitedFor, receivedBytes)) {
      case FINE -> {}
      case ASK -> {
        // A probe that costs the server next to nothing; a refusal is a sign of life, too.
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
   * Gives the connection up. Requests that another server can answer fail now; changes wait on,
   * because the server may still apply them.
   */
  private void leave() {
    isSilent = true;
    String text = endpoint + " is silent and does not answer a probe";
    List<PendingRequest> moving = new ArrayList<>();
    pending.values().removeIf(request -> request.mayMove() && moving.add(request));
    moving.forEach(request -> request.fail(new ConnectionException(text, false, null)));
    closeIfLeft();
  }

  private void closeIfLeft() {
    if (isSilent && pending.isEmpty()) {
      fail(
          new ConnectionException(
              endpoint + " fell silent; the connection is closed", false, null));
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
      // The error of a delivery carries the channel's handle in the place of the request id.
      PendingRequest request = pending.get(frame.correlationId());
      if (request != null && request.operation().code() == frame.operationCode()) {
        pending.remove(frame.correlationId());
        answer(request, frame);
      } else if (frame.kind() == FrameKind.ERROR && frame.operationCode() == 0) {
        fail(refusal(frame));
      } else if (frame.kind() == FrameKind.ERROR) {
        receiver.pushed(frame);
      }
      // An answer without a request came after the deadline, and is dropped.
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
   * Ends the connection because of bad bytes or a bug. It is closed on return: without the TLS
   * goodbye, which would have to be sent first.
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
    // Netty wraps the failures of TLS.
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

  /** Whether the server's last frame said that no unanswered request was applied. */
  private boolean isFarewell() {
    return reason instanceof RefusedException refused && refused.code().retriable();
  }

  private ConnectionException lost(boolean retriable) {
    String why = reason == null ? "closed" : String.valueOf(reason.getMessage());
    return new ConnectionException(
        "the connection to " + endpoint + " is lost: " + why, retriable, reason);
  }
}
