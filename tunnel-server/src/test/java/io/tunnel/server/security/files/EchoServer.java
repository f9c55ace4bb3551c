package io.tunnel.server.security.files;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.tunnel.server.net.access.TlsPeer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** Sends back received bytes behind TLS, and notes the sender. */
final class EchoServer implements Closeable {

  private static final int DEADLINE_MS = 30_000;

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel listener;

  /** Senders as the server knows the names; nobody for what came without TLS. */
  private final BlockingQueue<TlsPeer> peers = new LinkedBlockingQueue<>();

  /** What connections failed with. */
  private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

  EchoServer(Tls tls) {
    listener =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel nettyChannel) {
                    nettyChannel
                        .pipeline()
                        .addLast(tls.handler(() -> new Tls.PlainRefusal(new byte[] {'n', 'o'})))
                        .addLast(new Echo());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
  }

  private final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      peers.add(TlsPeer.of(context.pipeline()));
      context.writeAndFlush(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      failures.add(cause);
      context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(unused -> context.close());
    }
  }

  /** A connection without TLS. */
  Socket plain() throws IOException {
    Socket socket = new Socket();
    socket.connect(listener.localAddress(), DEADLINE_MS);
    socket.setSoTimeout(DEADLINE_MS);
    return socket;
  }

  /** A connection that has shaken hands with these protocols of TLS, all of the JDK's for none. */
  SSLSocket connect(SSLContext client, String... protocols) throws IOException {
    InetSocketAddress address = (InetSocketAddress) listener.localAddress();
    // With the address, so that sessions of it are taken up again.
    SSLSocket socket =
        (SSLSocket) client.getSocketFactory().createSocket("127.0.0.1", address.getPort());
    socket.setSoTimeout(DEADLINE_MS);
    if (protocols.length > 0) {
      socket.setEnabledProtocols(protocols);
    }
    try {
      socket.startHandshake();
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    return socket;
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Who the server believes to speak to on that connection. */
  TlsPeer peer(Socket connection) throws IOException, InterruptedException {
    connection.getOutputStream().write('?');
    connection.getOutputStream().flush();
    int answer = connection.getInputStream().read();
    if (answer != '?') {
      throw new IOException("not an echo: " + answer);
    }
    return Optional.ofNullable(peers.poll(DEADLINE_MS, TimeUnit.MILLISECONDS)).orElseThrow();
  }

  /** What the next connection failed with that does. */
  Throwable failure() throws InterruptedException {
    return Optional.ofNullable(failures.poll(DEADLINE_MS, TimeUnit.MILLISECONDS)).orElseThrow();
  }

  /** What connections have failed with until now. */
  List<Throwable> failures() {
    return List.copyOf(failures);
  }

  @Override
  public void close() {
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
