package io.tunnel.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.log.Extents;
import io.tunnel.server.session.SessionPort;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Credit;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameException;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.Fence;
import io.tunnel.wire.SessionControl.Revocation;
import io.tunnel.wire.SessionControl.SessionEnd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: makes frames of bytes, greets, passes requests on, and carries answers
 * and deliveries back. Its state belongs to its event loop; what other threads call is posted there
 * by Netty.
 */
final class Connection extends ChannelInboundHandlerAdapter implements SessionPort {

  private static final Logger LOGGER = LoggerFactory.getLogger(Connection.class);
  private static final int NO_OPERATION = 0;
  private static final String STOPPING = "the server is stopping; try again when it is back";

  /** How long a client may take to greet. */
  private static final long GREETING_DEADLINE_S = 10;

  /** How long a client that is being refused is still read from, so that it gets to see why. */
  private static final long FAREWELL_DEADLINE_S = 2;

  private final Requests requests;
  private final NetMeter meter;
  private final String serverName;
  private final FrameAssembler assembler = new FrameAssembler();
  private final Map<Integer, Channel> channels = new HashMap<>();
  private final Map<Integer, Attachment> attachments = new HashMap<>();
  private ChannelHandlerContext context;
  private FrameWriter writer;
  private boolean isGreeted;
  private boolean isDoomed;

  /** Requests that were passed on and are not answered. */
  private final AtomicInteger openRequests = new AtomicInteger();

  /** Set on the event loop, read by whoever answers. */
  private volatile boolean isLeaving;

  Connection(Requests requests, NetMeter meter, String serverName) {
    this.requests = requests;
    this.meter = meter;
    this.serverName = serverName;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    writer = new FrameWriter(ctx, meter);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    meter.connected();
    ctx.channel()
        .eventLoop()
        .schedule(this::requireGreeting, GREETING_DEADLINE_S, TimeUnit.SECONDS);
  }

  private void requireGreeting() {
    if (!isGreeted && !isDoomed) {
      doom(
          NO_OPERATION,
          0,
          ErrorCode.INVALID_REQUEST,
          "no HELLO came within " + GREETING_DEADLINE_S + " s");
    }
  }

  /** Refuses a client before it has said anything. */
  void refuseConnection(ErrorCode code, String message) {
    context.channel().eventLoop().execute(() -> doom(NO_OPERATION, 0, code, message));
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    meter.disconnected();
    List.copyOf(attachments.values()).forEach(Attachment::over);
    channels.values().forEach(Channel::stop);
    channels.clear();
    requests.disconnected(this);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      meter.received(bytes.readableBytes());
      if (!isDoomed) {
        for (ByteBuffer part : bytes.nioBuffers()) {
          assembler.feed(part, this::receive);
        }
      }
    } catch (FrameException e) {
      doom(NO_OPERATION, 0, e.code(), e.getMessage());
    } finally {
      bytes.release();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      LOGGER.debug("connection {} broke", ctx.channel().remoteAddress(), cause);
    } else {
      LOGGER.error("connection {} failed", ctx.channel().remoteAddress(), cause);
    }
    ctx.close();
  }

  private void receive(Frame frame) {
    if (isDoomed) {
      return;
    }
    if (!isGreeted) {
      greet(frame);
    } else if (frame.operation() == Operation.CREDIT && frame.kind() == FrameKind.PUSH) {
      credit(frame);
    } else if (frame.operation() == Operation.LIMIT && frame.kind() == FrameKind.PUSH) {
      limit(frame);
    } else if (frame.kind() != FrameKind.REQUEST) {
      doom(
          frame.operationCode(),
          frame.correlationId(),
          ErrorCode.INVALID_REQUEST,
          "a client sends requests and pushes credit and limits, not a "
              + frame.kind()
              + " of operation "
              + frame.operationCode());
    } else {
      openRequests.incrementAndGet();
      if (isLeaving) {
        refuse(frame, new RefusedException(ErrorCode.SHUTTING_DOWN, STOPPING));
      } else {
        requests.handle(frame, this);
      }
    }
  }

  private void greet(Frame frame) {
    try {
      if (frame.operation() != Operation.HELLO || frame.kind() != FrameKind.REQUEST) {
        throw new MalformedException("a connection opens with a HELLO request");
      }
      Hello hello = Hello.decode(frame.payload());
      if (hello.version() != Protocol.VERSION) {
        doom(
            frame.operationCode(),
            frame.correlationId(),
            ErrorCode.UNSUPPORTED_VERSION,
            "this server speaks protocol version " + Protocol.VERSION + ", not " + hello.version());
        return;
      }
      isGreeted = true;
      LOGGER.debug("'{}' connected from {}", hello.name(), context.channel().remoteAddress());
      writer.send(
          frame.operationCode(),
          FrameKind.RESPONSE,
          frame.correlationId(),
          new Hello(Protocol.VERSION, serverName).encode());
    } catch (MalformedException e) {
      doom(frame.operationCode(), frame.correlationId(), ErrorCode.INVALID_REQUEST, e.getMessage());
    }
  }

  private void credit(Frame frame) {
    try {
      Credit credit = Credit.decode(frame.payload());
      Channel channel = channels.get(credit.handle());
      if (channel != null && channel.epoch() == credit.epoch()) {
        channel.credit(credit.bytes());
      }
    } catch (MalformedException e) {
      doom(frame.operationCode(), 0, ErrorCode.INVALID_REQUEST, e.getMessage());
    }
  }

  /** Of a channel that is delivered here the worker knows the end, or of one that is not. */
  private void limit(Frame frame) {
    try {
      ChannelEnd end = ChannelEnd.decode(frame.payload());
      if (!attachments.containsKey(end.handle())) {
        requests.limit(this, end);
        return;
      }
      if (attachments.get(end.handle()).request().type() == ChannelType.BaseData) {
        throw new MalformedException("a base channel ends where its rows do, not at a limit");
      }
      Channel channel = channels.get(end.handle());
      if (channel != null && channel.epoch() == end.epoch()) {
        channel.endAt(end.position());
      }
    } catch (MalformedException e) {
      doom(frame.operationCode(), 0, ErrorCode.INVALID_REQUEST, e.getMessage());
    }
  }

  /** How many channels it is attached to, or about to be. */
  int attachmentCount() {
    return attachments.size();
  }

  /** It is to be attached to a channel. */
  void add(Attachment attachment) {
    attachments.put(attachment.handle(), attachment);
  }

  /** The attachment under that handle, if there is one. */
  Optional<Attachment> attachment(int handle) {
    return Optional.ofNullable(attachments.get(handle));
  }

  /** An attached channel is delivered from now on. */
  void carry(int handle, Channel channel) {
    channels.put(handle, channel);
  }

  /** An attached channel is delivered no more. */
  void dropAttachment(int handle) {
    Attachment attachment = attachments.remove(handle);
    if (attachment != null) {
      stop(handle);
      requests.detached(attachment);
    }
  }

  /** Says that a channel cannot be delivered any further. */
  void pushFailure(int handle, RefusedException reason) {
    meter.refused(reason.code());
    writer.send(
        Operation.DELIVER.code(), FrameKind.ERROR, handle, ErrorPayload.of(reason).encode());
  }

  /**
   * Says what is wrong and closes: the bytes that follow cannot be trusted to be frames. The client
   * may still be sending; closing at once would reset the connection and could take the answer from
   * it. So only our side is closed, and what comes is thrown away until the client closes too, or
   * for a moment.
   */
  private void doom(int operation, int correlationId, ErrorCode code, String message) {
    isDoomed = true;
    LOGGER.info("closing {}: {}", context.channel().remoteAddress(), message);
    meter.refused(code);
    writer.send(
        operation, FrameKind.ERROR, correlationId, new ErrorPayload(code, message).encode());
    EventLoop eventLoop = context.channel().eventLoop();
    eventLoop.execute(() -> ((DuplexChannel) context.channel()).shutdownOutput());
    eventLoop.schedule(() -> context.close(), FAREWELL_DEADLINE_S, TimeUnit.SECONDS);
  }

  /** Answers a request. May be called by any thread. */
  void respond(Frame request, byte[] payload) {
    writer.send(request.operationCode(), FrameKind.RESPONSE, request.correlationId(), payload);
    answered();
  }

  /** Refuses a request. May be called by any thread. */
  void refuse(Frame request, RefusedException reason) {
    meter.refused(reason.code());
    writer.send(
        request.operationCode(),
        FrameKind.ERROR,
        request.correlationId(),
        ErrorPayload.of(reason).encode());
    answered();
  }

  private void answered() {
    if (openRequests.decrementAndGet() == 0 && isLeaving) {
      execute(this::leaveWhenAnswered);
    }
  }

  /**
   * The server stops: nothing more is begun, what was begun is still answered, and then the client
   * is told. So it knows of every request without an answer that nothing of it was done.
   */
  void leave() {
    execute(
        () -> {
          isLeaving = true;
          leaveWhenAnswered();
        });
  }

  private void leaveWhenAnswered() {
    if (openRequests.get() == 0 && !isDoomed) {
      doom(NO_OPERATION, 0, ErrorCode.SHUTTING_DOWN, STOPPING);
    }
  }

  @Override
  public boolean isWritable() {
    return context.channel().isWritable();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    // A client that does not take its answers gets no further requests read either.
    ctx.channel().config().setAutoRead(ctx.channel().isWritable());
    if (ctx.channel().isWritable()) {
      List.copyOf(channels.values()).forEach(Channel::resume);
    }
  }

  @Override
  public void execute(Runnable action) {
    context.channel().eventLoop().execute(action);
  }

  @Override
  public int deliver(int handle, long epoch, long firstPosition, Extents batches)
      throws IOException {
    return writer.deliver(handle, epoch, firstPosition, batches);
  }

  @Override
  public int deliver(int handle, long epoch, long firstPosition, byte[] batch) {
    return writer.deliver(handle, epoch, firstPosition, batch);
  }

  @Override
  public void end(ChannelEnd end) {
    writer.push(Operation.END_OF_CHANNEL, end.encode());
  }

  @Override
  public void settled(ChannelEnd upTo) {
    writer.push(Operation.SETTLED, upTo.encode());
  }

  @Override
  public void fail(int handle, RefusedException reason) {
    Attachment attachment = attachments.get(handle);
    if (attachment == null) {
      requests.failed(this, handle, reason);
    } else {
      attachment.take(reason);
    }
  }

  @Override
  public void assign(Assignment assignment, Channel channel) {
    execute(
        () -> {
          if (context.channel().isActive()) {
            channels.put(assignment.handle(), channel);
            writer.push(Operation.ASSIGN, assignment);
            // Not before: a channel may begin with its end.
            channel.start();
          }
        });
  }

  @Override
  public void revoke(Revocation revocation) {
    execute(
        () -> {
          stop(revocation.handle());
          writer.push(Operation.REVOKE, revocation);
        });
  }

  @Override
  public void take(int handle) {
    execute(() -> stop(handle));
  }

  @Override
  public void fence(Fence fence) {
    execute(
        () -> {
          stop(fence.handle());
          writer.push(Operation.FENCE, fence);
        });
  }

  @Override
  public void over(SessionEnd end) {
    execute(() -> writer.push(Operation.SESSION_END, end));
  }

  @Override
  public void limit(ChannelEnd end) {
    execute(() -> writer.push(Operation.LIMIT, end.encode()));
  }

  private void stop(int handle) {
    Channel channel = channels.remove(handle);
    if (channel != null) {
      channel.stop();
    }
  }
}
