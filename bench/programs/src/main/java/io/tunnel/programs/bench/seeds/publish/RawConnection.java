package io.tunnel.programs.bench.seeds.publish;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameException;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One connection in the bytes of the protocol, without the SDK: a client of the SDK has threads of
 * its own, which are too many for thousands of clients. The event loop owns the fields; each method
 * is for any thread.
 */
final class RawConnection extends ChannelInboundHandlerAdapter {

  /** Pushes, and errors that are about no request. */
  private static final int NO_REQUEST = 0;

  private final Pushes pushes;
  private final FrameAssembler assembler = new FrameAssembler();
  private final Map<Integer, CompletableFuture<byte[]>> open = new HashMap<>();
  private final CompletableFuture<RawConnection> greeted = new CompletableFuture<>();
  private ChannelHandlerContext nettyContext;
  private int lastId;

  /** What the server says of itself. On the event loop. */
  interface Pushes {
    /** A push came. */
    void came(Operation operation, byte[] payload);

    /** The connection is over, or the server has said that it does not go on. */
    void failed(String why);
  }

  private RawConnection(Pushes pushes) {
    this.pushes = pushes;
  }

  /** Connects and greets. */
  static CompletableFuture<RawConnection> open(
      InetSocketAddress server, EventLoops.Place place, Pushes pushes) {
    RawConnection connection = new RawConnection(pushes);
    var unused =
        new Bootstrap()
            .group(place.loop())
            .channel(place.channelType())
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(connection)
            .connect(server)
            .addListener(
                done -> {
                  if (!done.isSuccess()) {
                    connection.greeted.completeExceptionally(done.cause());
                  }
                });
    return connection.greeted;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    nettyContext = context;
    byte[] hello = Hello.request(Protocol.SPOKEN, "tunnel bench seeds").encode();
    var unused =
        ask(Operation.HELLO, hello)
            .whenComplete(
                (answer, failure) -> {
                  if (failure == null) {
                    greeted.complete(this);
                  } else {
                    greeted.completeExceptionally(failure);
                  }
                });
  }

  /** Sends a request; completes on the event loop. */
  CompletableFuture<byte[]> ask(Operation operation, byte[] payload) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    onLoop(
        () -> {
          if (!nettyContext.channel().isActive()) {
            answer.completeExceptionally(new IllegalStateException("the connection is closed"));
            return;
          }
          lastId++;
          open.put(lastId, answer);
          send(operation, FrameKind.REQUEST, lastId, payload);
        });
    return answer;
  }

  /** Sends what has no answer. */
  void push(Operation operation, byte[] payload) {
    onLoop(() -> send(operation, FrameKind.PUSH, NO_REQUEST, payload));
  }

  /** Runs a task again and again, until the connection is closed. */
  void every(long periodMs, Runnable task) {
    var unused =
        nettyContext
            .executor()
            .scheduleAtFixedRate(
                () -> {
                  if (nettyContext.channel().isActive()) {
                    task.run();
                  }
                },
                periodMs,
                periodMs,
                TimeUnit.MILLISECONDS);
  }

  private void onLoop(Runnable task) {
    if (nettyContext.executor().inEventLoop()) {
      task.run();
    } else {
      nettyContext.executor().execute(task);
    }
  }

  private void send(Operation operation, FrameKind kind, int id, byte[] payload) {
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(header, 0, operation.code(), kind, id, payload.length);
    ByteBuf bytes =
        nettyContext
            .alloc()
            .directBuffer(header.length + payload.length)
            .writeBytes(header)
            .writeBytes(payload);
    var unused = nettyContext.writeAndFlush(bytes, nettyContext.voidPromise());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      assembler.feed(bytes.nioBuffer(), this::take);
    } catch (FrameException e) {
      end(e.getMessage());
    } finally {
      bytes.release();
    }
  }

  private void take(Frame frame) {
    if (frame.kind() == FrameKind.PUSH) {
      pushes.came(frame.operation(), frame.payload());
      return;
    }
    if (frame.operation() == Operation.DELIVER || frame.correlationId() == NO_REQUEST) {
      // Of a delivery, or of the connection as a whole.
      end("the server does not go on: " + error(frame));
      return;
    }
    CompletableFuture<byte[]> answer = open.remove(frame.correlationId());
    if (answer == null) {
      end("an answer to no request: " + frame.correlationId());
    } else if (frame.kind() == FrameKind.ERROR) {
      answer.completeExceptionally(new IllegalStateException(error(frame)));
    } else {
      answer.complete(frame.payload());
    }
  }

  private static String error(Frame frame) {
    ErrorPayload error = ErrorPayload.decode(frame.payload());
    return error.code() + ": " + error.message();
  }

  private void end(String why) {
    pushes.failed(why);
    for (CompletableFuture<byte[]> each : Map.copyOf(open).values()) {
      each.completeExceptionally(new IllegalStateException(why));
    }
    open.clear();
    greeted.completeExceptionally(new IllegalStateException(why));
    var unused = nettyContext.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    end("the server closed the connection");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    end("the connection failed: " + cause);
  }
}
