package io.tunnel.server.forward;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.tunnel.server.security.Voucher;
import io.tunnel.server.security.files.Tls;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Opens the connections of links. Belongs to the forwarding thread, which never waits here. */
final class Dialer implements AutoCloseable {

  private static final int CONNECT_MS_MAX = 2_000;

  private final Forwarder.Self self;
  private final Optional<Tls> tls;
  private final HostNames names;
  private final EventLoop owner;
  private long localCount;

  Dialer(Forwarder.Self self, Optional<Tls> tls, HostNames names, EventLoop owner) {
    this.self = self;
    this.tls = tls;
    this.names = names;
    this.owner = owner;
  }

  /**
   * Connects a link to this server, by the server's own door.
   *
   * @param address the author's IP address
   * @param failed told why there is no connection, on any thread
   */
  void dialSelf(Link link, String address, Consumer<Throwable> failed) {
    // The audit log of an open server names the author by the address of this side.
    String from = Voucher.origin(self.name(), address) + "/" + ++localCount;
    tell(
        failed,
        new Bootstrap()
            .group(self.door().loop())
            .channel(LocalChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS_MAX)
            .handler(initializer(link, Optional.empty()))
            .connect(self.door().address(), new LocalAddress(from)));
  }

  /**
   * Connects a link to a node.
   *
   * @param node HOST:PORT
   * @param failed told why there is no connection, on any thread
   * @throws IllegalArgumentException when the node is not HOST:PORT
   */
  void dial(Link link, String node, Consumer<Throwable> failed) {
    var unused =
        names
            .find(node)
            .whenComplete(
                (address, failure) -> {
                  if (failure == null) {
                    connectSoon(link, address, failed);
                  } else {
                    failed.accept(whyNoAddress(node, failure));
                  }
                });
  }

  private static Throwable whyNoAddress(String node, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof TimeoutException
        ? new IllegalStateException(
            "the name of "
                + node
                + " was not resolved within "
                + HostNames.WAIT_MS_MAX
                + " ms; look at the name servers of this machine")
        : new IllegalStateException("the name of " + node + " is not known: " + cause.getMessage());
  }

  private void connectSoon(Link link, InetSocketAddress address, Consumer<Throwable> failed) {
    try {
      owner.execute(() -> connect(link, address, failed));
    } catch (RejectedExecutionException e) {
      failed.accept(e);
    }
  }

  private void connect(Link link, InetSocketAddress address, Consumer<Throwable> failed) {
    if (link.isClosed()) {
      return;
    }
    tell(
        failed,
        new Bootstrap()
            .group(owner)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MS_MAX)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(initializer(link, tls))
            .connect(address));
  }

  private static void tell(Consumer<Throwable> failed, ChannelFuture connected) {
    connected.addListener(
        done -> {
          if (!done.isSuccess()) {
            failed.accept(done.cause());
          }
        });
  }

  private static ChannelInitializer<Channel> initializer(Link link, Optional<Tls> tls) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel nettyChannel) {
        tls.ifPresent(
            encrypted -> nettyChannel.pipeline().addLast(encrypted.toServer(nettyChannel.alloc())));
        nettyChannel.pipeline().addLast(link);
      }
    };
  }

  @Override
  public void close() {
    names.close();
  }
}
