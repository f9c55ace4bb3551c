package io.tunnel.sdk.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The loop, the clock and the sockets of a client, all in the calling thread: nothing happens
 * between two calls. Greets each connection; the test answers the other requests.
 */
public final class HandWorld {

  private final EmbeddedChannel anchor = new EmbeddedChannel();
  private final List<Socket> sockets = new ArrayList<>();
  private final Deque<Request> requests = new ArrayDeque<>();
  private final Set<String> down = new HashSet<>();
  private final ClientPort port;
  private long nowNanos = 1_000_000_000;

  /** A world in which no time passes by itself. */
  public HandWorld() {
    anchor.freezeTime();
    EventLoops.Place place =
        new EventLoops.Place(
            anchor.eventLoop(),
            () ->
                new Bootstrap()
                    .group(anchor.eventLoop())
                    .channelFactory(Socket::new)
                    .disableResolver(),
            Optional::empty);
    port = new ClientPort("by hand", place, () -> nowNanos, new SplittableRandom(7));
  }

  /** A request that the test answers. */
  public final class Request {
    private final Socket socket;
    private final Frame frame;

    private Request(Socket socket, Frame frame) {
      this.socket = socket;
      this.frame = frame;
    }

    /** The node that was asked, such as {@code a:1}. */
    public String node() {
      return socket.node;
    }

    /** The request. */
    public Frame frame() {
      return frame;
    }

    /** Answers. */
    public void answer(byte[] payload) {
      socket.send(
          new Frame(frame.operationCode(), FrameKind.RESPONSE, frame.correlationId(), payload));
    }

    /** Refuses, and names a leader, if there is one. */
    public void refuse(ErrorCode code, Optional<String> leader) {
      byte[] payload = new ErrorPayload(code, "as a test says", leader, 0).encode();
      socket.send(
          new Frame(frame.operationCode(), FrameKind.ERROR, frame.correlationId(), payload));
    }

    /** Ends the connection instead of an answer. */
    public void drop() {
      socket.close();
      run();
    }
  }

  private final class Socket extends EmbeddedChannel {
    private final FrameAssembler assembler = new FrameAssembler();
    private String node = "";

    Socket() {
      super(false, false);
    }

    @Override
    public ChannelFuture connect(SocketAddress remote, ChannelPromise promise) {
      InetSocketAddress address = (InetSocketAddress) remote;
      node = address.getHostString() + ":" + address.getPort();
      if (down.contains(node)) {
        return promise.setFailure(new ConnectException("nobody listens"));
      }
      sockets.add(this);
      return promise.setSuccess();
    }

    void send(Frame frame) {
      writeInbound(Unpooled.wrappedBuffer(frame.header(), frame.payload()));
      run();
    }

    boolean take() {
      ByteBuf out = readOutbound();
      if (out == null) {
        return false;
      }
      assembler.feed(out.nioBuffer(), this::received);
      out.release();
      return true;
    }

    private void received(Frame frame) {
      if (frame.operation() == Operation.HELLO) {
        byte[] hello = Hello.request(Protocol.SPOKEN, "by hand").encode();
        send(new Frame(frame.operationCode(), FrameKind.RESPONSE, frame.correlationId(), hello));
      } else {
        requests.add(new Request(this, frame));
      }
    }
  }

  /** The client's connections. */
  public Nodes nodes(ClientConfig config) {
    return new Nodes(LoadedConfig.of(config), port);
  }

  /** The time. */
  public Ticker ticker() {
    return () -> nowNanos;
  }

  /** Connections to this node are refused. */
  public void end(String node) {
    down.add(node);
  }

  /** Does all that can be done now. */
  public void run() {
    boolean isBusy = true;
    while (isBusy) {
      anchor.runPendingTasks();
      isBusy = anchor.hasPendingTasks();
      for (Socket socket : List.copyOf(sockets)) {
        isBusy |= socket.take();
      }
    }
    anchor.checkException();
  }

  /** Lets time pass, and does what is due. */
  public void pass(long millis) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
    anchor.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    run();
  }

  /** The oldest request without an answer; there is one. */
  public Request next() {
    run();
    return requests.remove();
  }

  /** The oldest request to this node without an answer; there is one. */
  public Request next(String node) {
    run();
    Request found =
        requests.stream().filter(each -> each.node().equals(node)).findFirst().orElseThrow();
    requests.remove(found);
    return found;
  }

  /** How many requests have no answer. */
  public int waiting() {
    run();
    return requests.size();
  }
}
