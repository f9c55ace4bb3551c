package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DuplexChannel;
import io.tunnel.server.net.access.Gate;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long a connection may ask nothing, in a time of its own. */
final class IdleConnectionTest {

  private static final int IDLE_MS = NetLimits.DEFAULT.idleMsMax();

  @TempDir private Path directory;
  private TestNode node;
  private Connection connection;
  private EmbeddedChannel nettyChannel;

  /** One whose sides are closed together. */
  private static final class Embedded extends EmbeddedChannel implements DuplexChannel {
    @Override
    public boolean isInputShutdown() {
      return !isOpen();
    }

    @Override
    public ChannelFuture shutdownInput() {
      return close();
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
      return close(promise);
    }

    @Override
    public boolean isOutputShutdown() {
      return !isOpen();
    }

    @Override
    public ChannelFuture shutdownOutput() {
      return close();
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
      return close(promise);
    }

    @Override
    public boolean isShutdown() {
      return !isOpen();
    }

    @Override
    public ChannelFuture shutdown() {
      return close();
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
      return close(promise);
    }
  }

  @BeforeEach
  void greet() throws IOException {
    node = new TestNode(directory);
    connection =
        new Connection(
            node.requests(),
            NetServer.Door.open(),
            NetMeter.NONE,
            "server",
            NetServer.Budgets.of(NetLimits.DEFAULT, 10, Gate.open()));
    nettyChannel = new Embedded();
    nettyChannel.freezeTime();
    nettyChannel.pipeline().addLast(connection);
    Frame hello =
        new Frame(
            Operation.HELLO, FrameKind.REQUEST, 1, Hello.request(Protocol.SPOKEN, "c").encode());
    nettyChannel.writeInbound(Unpooled.wrappedBuffer(hello.header(), hello.payload()));
    assertThat(nettyChannel.outboundMessages()).as("the greeting is answered").isNotEmpty();
  }

  @AfterEach
  void close() throws IOException {
    nettyChannel.finishAndReleaseAll();
    node.close();
  }

  private void pass(long ms) {
    nettyChannel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    nettyChannel.runPendingTasks();
    nettyChannel.runScheduledPendingTasks();
  }

  /** At most twice as long passes until it is found out. */
  private void requireClosedInTime() {
    pass(IDLE_MS);
    pass(IDLE_MS);
    pass(TimeUnit.SECONDS.toMillis(10));
    assertThat(nettyChannel.isOpen()).isFalse();
  }

  @Test
  void whoHoldsNothingIsClosedAtTheLimitAndNotBefore() {
    pass(IDLE_MS - 1);
    assertThat(nettyChannel.isOpen()).isTrue();
    requireClosedInTime();
  }

  @Test
  void aSessionKeepsItsConnectionForAsLongAsItLives() {
    connection.sessions().began();
    connection.sessions().began();
    for (int i = 0; i < 5; i++) {
      pass(IDLE_MS);
    }
    connection.sessions().ended();
    for (int i = 0; i < 5; i++) {
      pass(IDLE_MS);
    }
    assertThat(nettyChannel.isOpen()).as("one session is left").isTrue();
    connection.sessions().ended();
    requireClosedInTime();
  }
}
