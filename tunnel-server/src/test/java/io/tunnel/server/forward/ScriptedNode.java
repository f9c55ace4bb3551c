package io.tunnel.server.forward;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A node that greets, and of which a test says how it answers. */
final class ScriptedNode {

  /** The requests that arrived, without greetings. */
  final List<Frame> requests = new CopyOnWriteArrayList<>();

  /** Connections so far. */
  final AtomicInteger connections = new AtomicInteger();

  /** Connections that are open. */
  final AtomicInteger open = new AtomicInteger();

  private final Channel listener;

  /** A request, and how it is answered. */
  record Asked(Frame frame, ChannelHandlerContext context) {

    void answer(byte[] payload) {
      send(FrameKind.RESPONSE, frame.correlationId(), payload);
    }

    void refuse(RefusedException reason) {
      send(FrameKind.ERROR, frame.correlationId(), ErrorPayload.of(reason).encode());
    }

    void send(FrameKind kind, int correlationId, byte[] payload) {
      Frame answer = new Frame(frame.operationCode(), kind, correlationId, payload);
      sendBytes(answer.header(), payload);
    }

    void sendBytes(byte[]... bytes) {
      var unused = context.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    }

    void disconnect() {
      context.close();
    }
  }

  ScriptedNode(
      EventLoopGroup loop,
      Class<? extends ServerChannel> type,
      SocketAddress address,
      Consumer<Asked> script) {
    listener =
        new ServerBootstrap()
            .group(loop)
            .channel(type)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel nettyChannel) {
                    nettyChannel.pipeline().addLast(new Connection(script));
                  }
                })
            .bind(address)
            .syncUninterruptibly()
            .channel();
  }

  /** HOST:PORT. */
  String address() {
    InetSocketAddress bound = (InetSocketAddress) listener.localAddress();
    return "127.0.0.1:" + bound.getPort();
  }

  void stopListening() {
    listener.close().syncUninterruptibly();
  }

  private final class Connection extends ChannelInboundHandlerAdapter {
    private final Consumer<Asked> script;
    private final FrameAssembler assembler = new FrameAssembler();

    Connection(Consumer<Asked> script) {
      this.script = script;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      connections.incrementAndGet();
      open.incrementAndGet();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      open.decrementAndGet();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      try {
        for (ByteBuffer part : bytes.nioBuffers()) {
          assembler.feed(part, frame -> take(new Asked(frame, ctx)));
        }
      } finally {
        bytes.release();
      }
    }

    private void take(Asked asked) {
      if (asked.frame().operation() == Operation.HELLO) {
        Hello hello = Hello.decode(asked.frame().payload());
        asked.answer(
            Hello.answer(hello.accept(Protocol.SPOKEN), Protocol.SPOKEN, "scripted").encode());
      } else {
        requests.add(asked.frame());
        script.accept(asked);
      }
    }
  }
}
