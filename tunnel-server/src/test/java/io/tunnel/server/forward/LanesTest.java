package io.tunnel.server.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.cluster.FakeView;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.server.forward.ScriptedNode.Asked;
import io.tunnel.server.net.NetServer;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Figures and readings of a slow node beside operations at the same node, for one principal. */
final class LanesTest {

  private static final OnBehalf WHO = new OnBehalf(Optional.empty(), "192.0.2.9");
  private static final Duration LONG = Duration.ofSeconds(30);

  private final FakeView view = new FakeView("127.0.0.1:1");
  private final LocalAddress self = new LocalAddress(LanesTest.class);
  private final EventLoopGroup selfLoop =
      new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
  private final EventLoopGroup nodeLoop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Forwarder forwarder =
      new Forwarder(
          new Forwarder.Self("n0", new NetServer.Self(self, selfLoop)),
          view,
          NetServer.Door.open(),
          new Forwarder.Machine(count -> Bytes.copyOf(new byte[count]), System::nanoTime),
          ForwardMeter.NONE);

  /** Connections on which an operation came. */
  private final Set<Object> ofOperations = ConcurrentHashMap.newKeySet();

  @AfterEach
  void end() {
    forwarder.close();
    selfLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    nodeLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  /** Answers operations at once, and other requests as {@code other} says. */
  private Consumer<Asked> script(Consumer<Asked> other) {
    return asked -> {
      if (asked.frame().operation() == Operation.DESCRIBE_TUNNEL) {
        ofOperations.add(asked.context());
        asked.answer(new byte[] {'y'});
      } else {
        other.accept(asked);
      }
    };
  }

  private ScriptedNode node(Consumer<Asked> other) {
    ScriptedNode node =
        new ScriptedNode(
            nodeLoop,
            NioServerSocketChannel.class,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            script(other));
    view.has("n1", node.address());
    return node;
  }

  /** Half of an answer, whose rest never comes. */
  private static void half(Asked asked) {
    byte[] header = new byte[Frame.HEADER_BYTES];
    int code = asked.frame().operationCode();
    int id = asked.frame().correlationId();
    Frame.writeHeader(header, 0, code, FrameKind.RESPONSE, id, 1_000);
    asked.sendBytes(header, new byte[500]);
  }

  private CompletableFuture<byte[]> ask(
      Optional<String> node, Operation operation, Duration deadline) {
    return forwarder.ask(WHO, node, operation, new byte[0], deadline);
  }

  private void requireAnswered(Optional<String> node) throws Exception {
    assertThat(ask(node, Operation.DESCRIBE_TUNNEL, LONG).get(60, TimeUnit.SECONDS))
        .asString()
        .isEqualTo("y");
  }

  @Test
  void figures_that_come_slowly_delay_no_operation() throws Exception {
    Optional<String> to = Optional.of("n1");
    ScriptedNode node = node(LanesTest::half);
    CompletableFuture<byte[]> figures = ask(to, Operation.DESCRIBE_NODE, LONG);
    requireAnswered(to);
    requireAnswered(to);
    assertThat(figures).isNotDone();
    assertThat(node.connections.get()).as("for figures, and for operations").isEqualTo(2);
  }

  @Test
  void figures_that_are_late_leave_operations_their_connection() throws Exception {
    Optional<String> to = Optional.of("n1");
    node(asked -> {});
    requireAnswered(to);
    CompletableFuture<byte[]> figures = ask(to, Operation.DESCRIBE_NODE, Duration.ofMillis(300));
    assertThatThrownBy(() -> figures.get(60, TimeUnit.SECONDS))
        .hasMessageContaining("before its deadline");
    requireAnswered(to);
    assertThat(ofOperations).as("connections of operations").hasSize(1);
  }

  @Test
  void a_connection_of_figures_that_ends_takes_no_operation_along() throws Exception {
    Optional<String> to = Optional.of("n1");
    node(Asked::disconnect);
    requireAnswered(to);
    CompletableFuture<byte[]> figures = ask(to, Operation.DESCRIBE_NODE, LONG);
    assertThatThrownBy(() -> figures.get(60, TimeUnit.SECONDS))
        .hasMessageContaining("no answer to DESCRIBE_NODE");
    requireAnswered(to);
    assertThat(ofOperations).as("connections of operations").hasSize(1);
  }

  @Test
  void a_reading_that_comes_slowly_delays_no_operation() throws Exception {
    Consumer<Asked> script = script(LanesTest::half);
    ScriptedNode node = new ScriptedNode(selfLoop, LocalServerChannel.class, self, script);
    ReadPartition behind =
        new ReadPartition(
            3, ChannelType.Stream, 9, Bytes.EMPTY, Optional.empty(), Optional.empty());
    CompletableFuture<Forwarding.Changes> reading = forwarder.read(WHO, behind, 1_000, LONG);
    requireAnswered(Optional.empty());
    assertThat(reading).isNotDone();
    assertThat(node.connections.get()).as("for readings, and for operations").isEqualTo(2);
  }
}
