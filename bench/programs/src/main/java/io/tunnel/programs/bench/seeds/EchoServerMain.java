package io.tunnel.programs.bench.seeds;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.tunnel.model.Limits;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.net.InetSocketAddress;

/**
 * The peer of an echo, in a process of its own: Netty alone, which answers the frames of HELLO and
 * ECHO without budgets, rights and limits: an upper bound for a server of these frames. Ends when
 * standard input ends.
 */
public final class EchoServerMain {

  /** The program prints this text, then its port. */
  static final String READY = "listening on ";

  private static final int BACKLOG = 4_096;
  private static final int LENGTH_BYTES = 4;

  private EchoServerMain() {}

  /** Listens on a free port of loopback; the argument is the number of event loops. */
  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[0]);
    boolean isEpoll = Epoll.isAvailable();
    IoHandlerFactory factory = isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(threads, factory);
    Channel listener =
        new ServerBootstrap()
            .group(loops)
            .channel(isEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            new LengthFieldBasedFrameDecoder(
                                Limits.FRAME_BYTES_MAX + LENGTH_BYTES, 0, LENGTH_BYTES, 0, 0),
                            new Echo());
                  }
                })
            .bind("127.0.0.1", 0)
            .sync()
            .channel();
    System.out.println(READY + ((InetSocketAddress) listener.localAddress()).getPort());
    System.out.flush();
    while (System.in.read() >= 0) {
      // Until the parent is gone.
    }
    System.exit(0);
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf frame = (ByteBuf) message;
      try {
        int operation = frame.getUnsignedByte(LENGTH_BYTES);
        int id = frame.getInt(Frame.HEADER_BYTES - Integer.BYTES);
        if (operation == Operation.HELLO.code()) {
          greet(context, frame, id);
        } else {
          int data = Frame.HEADER_BYTES + 1;
          boolean isRepeated = frame.getByte(Frame.HEADER_BYTES) == 1;
          int bytes = isRepeated ? frame.readableBytes() - data : 0;
          ByteBuf answer = answer(context, operation, id, bytes).writeBytes(frame, data, bytes);
          context.write(answer, context.voidPromise());
        }
      } finally {
        frame.release();
      }
    }

    private static void greet(ChannelHandlerContext context, ByteBuf frame, int id) {
      byte[] asked = new byte[frame.readableBytes() - Frame.HEADER_BYTES];
      frame.getBytes(Frame.HEADER_BYTES, asked);
      byte[] hello =
          Hello.answer(Hello.decode(asked).accept(Protocol.SPOKEN), Protocol.SPOKEN, "echo")
              .encode();
      ByteBuf answer = answer(context, Operation.HELLO.code(), id, hello.length).writeBytes(hello);
      context.write(answer, context.voidPromise());
    }

    private static ByteBuf answer(
        ChannelHandlerContext context, int operation, int id, int payloadBytes) {
      return context
          .alloc()
          .directBuffer(Frame.HEADER_BYTES + payloadBytes)
          .writeInt(Frame.HEADER_BYTES - LENGTH_BYTES + payloadBytes)
          .writeByte(operation)
          .writeByte(FrameKind.RESPONSE.code())
          .writeShort(0)
          .writeInt(id);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      var unused = context.close();
    }
  }
}
