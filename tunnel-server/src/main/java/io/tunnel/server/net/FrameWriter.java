package io.tunnel.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.EventExecutor;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.changes.Extents;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.RejectedExecutionException;

/**
 * Writes frames to a connection. For any thread; Netty keeps the order.
 *
 * <p>Frames are passed to Netty on the heap, and only the connection's event loop copies them into
 * native memory: without native memory the connection breaks, and not the answering thread.
 */
final class FrameWriter {

  /** Rows of base data have no commit time. */
  private static final long NO_COMMIT_MICROS = 0;

  private final ChannelHandlerContext context;
  private final NetMeter meter;
  private final Untaken.Account account;

  FrameWriter(ChannelHandlerContext context, NetMeter meter, Untaken.Account account) {
    this.context = context;
    this.meter = meter;
    this.account = account;
  }

  /** Pushes a payload. */
  void push(Operation operation, Control payload) {
    push(operation, Json.encode(payload));
  }

  /** Pushes an encoded payload. */
  void push(Operation operation, byte[] payload) {
    send(operation.code(), FrameKind.PUSH, 0, payload);
  }

  void send(int operation, FrameKind kind, int correlationId, byte[] payload) {
    meter.sent(Frame.HEADER_BYTES + payload.length);
    write(operation, kind, correlationId, payload);
  }

  private void write(int operation, FrameKind kind, int correlationId, byte[] payload) {
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(header, 0, operation, kind, correlationId, payload.length);
    write(Unpooled.wrappedBuffer(header, payload));
  }

  private void write(ByteBuf frame) {
    int bytes = frame.readableBytes();
    account.given(bytes);
    context
        .writeAndFlush(frame)
        .addListener(
            written -> {
              account.taken(bytes);
              if (!written.isSuccess() && !(written.cause() instanceof ClosedChannelException)) {
                context.pipeline().fireExceptionCaught(written.cause());
              }
            });
  }

  /**
   * Reads the batches and sends them as one delivery; returns the bytes of its payload. Only for
   * the event loop.
   */
  int deliver(int handle, long epoch, long firstPosition, Extents batches) throws IOException {
    int payloadBytes = Delivery.PREFIX_BYTES + batches.bytes();
    byte[] prefix = new byte[Frame.HEADER_BYTES + Delivery.PREFIX_BYTES];
    Frame.writeHeader(prefix, 0, Operation.DELIVER.code(), FrameKind.PUSH, 0, payloadBytes);
    Delivery.writePrefix(prefix, Frame.HEADER_BYTES, handle, epoch, firstPosition);
    ByteBuf frame = context.alloc().directBuffer(Frame.HEADER_BYTES + payloadBytes);
    boolean isRead = false;
    long commitMicros;
    try {
      frame.writeBytes(prefix);
      batches.read(frame.nioBuffer(frame.writerIndex(), batches.bytes()));
      commitMicros =
          ChangeBatch.commitMicrosAt(frame.nioBuffer(frame.writerIndex(), batches.bytes()));
      frame.writerIndex(frame.writerIndex() + batches.bytes());
      isRead = true;
    } finally {
      if (!isRead) {
        frame.release();
      }
    }
    meter.delivered(payloadBytes, batches.lastPosition() - firstPosition + 1, commitMicros);
    write(frame);
    return payloadBytes;
  }

  /**
   * Sends batches that are in memory as one delivery; returns the bytes of its payload.
   *
   * @param rows rows of the batches
   */
  int deliver(int handle, long epoch, long firstPosition, byte[] batch, long rows) {
    byte[] payload = new byte[Delivery.PREFIX_BYTES + batch.length];
    Delivery.writePrefix(payload, 0, handle, epoch, firstPosition);
    System.arraycopy(batch, 0, payload, Delivery.PREFIX_BYTES, batch.length);
    meter.delivered(payload.length, rows, NO_COMMIT_MICROS);
    write(Operation.DELIVER.code(), FrameKind.PUSH, 0, payload);
    return payload.length;
  }

  /**
   * Runs {@code action} on the event loop. Drops it when the loop has ended, because the connection
   * is closed by then: threads that serve many connections must not fail because of a closed one.
   */
  void onLoop(Runnable action) {
    EventExecutor loop = context.channel().eventLoop();
    try {
      loop.execute(action);
    } catch (RejectedExecutionException e) {
      if (!loop.isShuttingDown()) {
        throw e;
      }
    }
  }

  /** As {@link #onLoop}, but runs {@code action} at once when this is called on the event loop. */
  void onLoopAtOnce(Runnable action) {
    if (context.channel().eventLoop().inEventLoop()) {
      action.run();
    } else {
      onLoop(action);
    }
  }
}
