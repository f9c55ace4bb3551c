package io.tunnel.sdk.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.wire.Agreement;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection that has been greeted. Every request ends: with its answer, with the server's
 * refusal, or with a {@link ConnectionException} when the connection or the deadline ended first.
 * Thread-safe; futures complete on the connection's event loop.
 */
public final class Connection implements Link {

  private static final Logger LOGGER = LoggerFactory.getLogger(Connection.class);
  private static final int USER_CHARS_MAX = 32;

  /** For logs of the server: who did what. */
  private static final String NAME = name(System.getProperty("user.name", "?"));

  private static final byte[] NOTHING = {};

  private final Channel nettyChannel;
  private final ConnectionHandler handler;
  private final Duration requestDeadline;

  private Connection(Channel nettyChannel, ConnectionHandler handler, Duration requestDeadline) {
    this.nettyChannel = nettyChannel;
    this.handler = handler;
    this.requestDeadline = requestDeadline;
  }

  private static String name(String user) {
    String shown = user.substring(0, Math.min(USER_CHARS_MAX, user.length()));
    return "tunnel-sdk-java of " + shown + ", process " + ProcessHandle.current().pid();
  }

  /**
   * Connects and greets. Fails with a retriable {@link ConnectionException} when the server cannot
   * be reached before the deadline, and with the server's refusal when it does not want us.
   */
  public static CompletableFuture<Connection> open(
      EventLoops.Place place, ClientConfig config, Endpoint endpoint, PushReceiver receiver) {
    CompletableFuture<Connection> opened = new CompletableFuture<>();
    ConnectionHandler handler = new ConnectionHandler(endpoint.toString(), receiver);
    int connectMs = (int) Math.min(Integer.MAX_VALUE, config.connectDeadline().toMillis());
    ChannelFuture connecting =
        new Bootstrap()
            .group(place.loop())
            .channel(place.channelType())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMs)
            .option(ChannelOption.RECVBUF_ALLOCATOR, ConnectionHandler.readBuffers())
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(handler);
                  }
                })
            .connect(endpoint.host(), endpoint.port());
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            opened.completeExceptionally(unreachable(endpoint, done.cause()));
            return;
          }
          Connection connection =
              new Connection(connecting.channel(), handler, config.requestDeadline());
          connection.greet(endpoint, config, opened);
        });
    return opened.whenComplete(
        (connection, failure) -> {
          if (failure == null) {
            config.meter().connected();
          } else {
            config.meter().connectFailed();
          }
        });
  }

  private static ConnectionException unreachable(Endpoint endpoint, Throwable cause) {
    return new ConnectionException(
        "cannot connect to " + endpoint + ": " + Unreachable.why(cause), true, cause);
  }

  private void greet(Endpoint endpoint, ClientConfig config, CompletableFuture<Connection> opened) {
    byte[] hello = Hello.request(Protocol.SPOKEN, NAME).encode();
    CompletableFuture<Frame> greeted = request(Operation.HELLO, hello, config.connectDeadline());
    var unused =
        greeted.whenComplete(
            (answer, failure) -> {
              Throwable reason = failure == null ? objection(answer) : failure;
              if (reason == null) {
                opened.complete(this);
              } else {
                opened.completeExceptionally(
                    reason instanceof RefusedException ? reason : unreachable(endpoint, reason));
                close();
              }
            });
  }

  /** Why there is no going on with a server that greets like that; null when there is. */
  private static RuntimeException objection(Frame answer) {
    try {
      Agreement agreed = Hello.decode(answer.payload()).confirm(Protocol.SPOKEN);
      LOGGER.debug("connected: {}", agreed);
      return null;
    } catch (MalformedException | RefusedException e) {
      return e;
    }
  }

  @Override
  public CompletableFuture<Frame> request(Operation operation, byte[] payload) {
    return request(operation, payload, requestDeadline);
  }

  @Override
  public CompletableFuture<Frame> request(Operation operation, byte[] payload, Duration deadline) {
    return request(operation, payload, NOTHING, deadline);
  }

  /** Asks with a payload in two parts, so that the larger need not be copied to be prefixed. */
  public CompletableFuture<Frame> request(Operation operation, byte[] prefix, byte[] payload) {
    return request(operation, prefix, payload, requestDeadline);
  }

  /**
   * Asks what may be asked elsewhere as well: also fails, long before the deadline, when the server
   * has fallen silent and does not even say whether it is there.
   */
  public CompletableFuture<Frame> read(Operation operation, byte[] payload) {
    return send(new PendingRequest(operation, requestDeadline, true), NOTHING, payload);
  }

  private CompletableFuture<Frame> request(
      Operation operation, byte[] prefix, byte[] payload, Duration deadline) {
    return send(new PendingRequest(operation, deadline), prefix, payload);
  }

  private CompletableFuture<Frame> send(PendingRequest request, byte[] prefix, byte[] payload) {
    onLoop(
        () -> handler.send(request, prefix, payload),
        () -> request.fail(new ConnectionException("the client is closed", true, null)));
    return request.answer();
  }

  @Override
  public void push(Operation operation, byte[] payload) {
    onLoop(() -> handler.push(operation, payload), () -> {});
  }

  /** Runs the task on the connection's event loop: now when called there. */
  private void onLoop(Runnable task, Runnable refused) {
    EventLoop loop = nettyChannel.eventLoop();
    if (loop.inEventLoop()) {
      task.run();
      return;
    }
    try {
      loop.execute(task);
    } catch (RejectedExecutionException closed) {
      refused.run();
    }
  }

  /** Whether it is connected; may change at any moment. */
  public boolean isOpen() {
    return nettyChannel.isActive();
  }

  /** Whether requests are to be sent here: not when the server has fallen silent. */
  boolean isUsable() {
    return isOpen() && !handler.isSilent();
  }

  /** Whether no request waits for its answer; on the connection's event loop. */
  boolean isIdle() {
    return handler.isIdle();
  }

  @Override
  public void close() {
    var unused = nettyChannel.close();
  }
}
