package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DuplexChannel;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.server.net.access.Entrance;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.delivery.Attachments;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long a connection may ask nothing, in a time of its own, what it leaves behind, and what the
 * server's last word is when it closes the connection.
 */
final class IdleConnectionTest {

  private static final int IDLE_MS = NetLimits.DEFAULT.idleMsMax();

  @TempDir private Path directory;
  private TestNode node;
  private Connection connection;
  private EmbeddedChannel nettyChannel;
  private final NetServer.Budgets budgets =
      NetServer.Budgets.of(NetLimits.DEFAULT, 10, Gate.open());

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
    connect();
    send(1, Operation.HELLO, Hello.request(Protocol.SPOKEN, "c").encode());
    assertThat(said()).as("the greeting is answered").hasSize(1);
  }

  private void connect() {
    connection =
        new Connection(node.requests(), NetServer.Door.open(), NetMeter.NONE, "server", budgets);
    nettyChannel = new Embedded();
    nettyChannel.freezeTime();
    nettyChannel.pipeline().addLast(connection);
  }

  private void send(int correlationId, Operation operation, byte[] payload) {
    Frame frame = new Frame(operation, FrameKind.REQUEST, correlationId, payload);
    nettyChannel.writeInbound(Unpooled.wrappedBuffer(frame.header(), frame.payload()));
  }

  /** What the server has said since this was asked last. */
  private List<Frame> said() {
    return SentFrames.takenFrom(nettyChannel);
  }

  /** Begins a frame, and lets another connection hold all that frames may which are not whole. */
  private void crowdOut() {
    byte[] header = new Frame(Operation.LIST_TABLES, FrameKind.REQUEST, 9, new byte[100]).header();
    nettyChannel.writeInbound(Unpooled.wrappedBuffer(header));
    budgets.partial().set(() -> {}, NetLimits.DEFAULT.partialBytesMax());
    budgets.partial().relieve(Runnable::run);
  }

  @Test
  void who_is_crowded_out_while_requests_are_open_is_not_told_that_nothing_was_done() {
    CompletableFuture<Void> mayGoOn = new CompletableFuture<>();
    node.control.execute(mayGoOn::join);
    send(2, Operation.DESCRIBE_TUNNEL, Json.encode(new TunnelName("mine", "t")));
    crowdOut();
    assertThat(said()).as("a retriable word would have the open request sent again").isEmpty();
    assertThat(nettyChannel.isOpen()).isFalse();
    mayGoOn.complete(null);
  }

  @Test
  void who_is_crowded_out_without_an_open_request_is_told_to_try_again() {
    crowdOut();
    List<Frame> words = said();
    assertThat(words).hasSize(1);
    assertThat(words.get(0).operationCode()).isZero();
    assertThat(ErrorPayload.decode(words.get(0).payload()).code()).isEqualTo(ErrorCode.BUSY);
  }

  @Test
  void who_is_late_with_the_greeting_is_told_to_try_again() {
    nettyChannel.finishAndReleaseAll();
    connect();
    nettyChannel.pipeline().fireChannelActive();
    pass(TimeUnit.SECONDS.toMillis(Entrance.GREETING_DEADLINE_S) - 1);
    assertThat(nettyChannel.isOpen()).isTrue();
    pass(1);
    ErrorPayload word = ErrorPayload.decode(said().get(0).payload());
    assertThat(word.code()).as("a client that stood still").isEqualTo(ErrorCode.BUSY);
    assertThat(word.message()).startsWith("no HELLO came in time").endsWith("connect again");
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

  /** Is told what became of a request. */
  private static final class Told implements Attachments.Answer {
    private final byte[] request = new byte[1];

    @Override
    public void attached(Attached attached) {
      request[0]++;
    }

    @Override
    public void refused(RefusedException reason) {
      throw reason;
    }

    @Override
    public void dropped() {
      throw new AssertionError("it was answered");
    }
  }

  private Attach granted(int partition) {
    Granted holding = new Granted(partition + "_t", partition, 5, "");
    Terms terms = new Terms("n", 0, Optional.empty(), Optional.empty(), Long.MAX_VALUE / 2, 30_000);
    return new Attach(
        "t",
        holding.channelId(),
        partition,
        ChannelType.Stream,
        5,
        0,
        Bytes.EMPTY,
        Optional.empty(),
        Optional.empty(),
        node.catalog.grants().of(holding, terms));
  }

  private WeakReference<Told> attach(int handle) {
    Told answer = new Told();
    int here = TestNode.first(node.mine);
    node.attachments.attach(granted(here), handle, connection.deliveries(), answer);
    assertThat(answer.request).containsExactly(1);
    return new WeakReference<>(answer);
  }

  @Test
  void what_is_attached_does_not_hold_the_request_that_was_answered() {
    WeakReference<Told> answer = attach(7);
    for (int tries = 0; answer.get() != null && tries < 50; tries++) {
      System.gc();
    }
    assertThat(answer.get()).isNull();
    assertThat(node.attachments.count()).isEqualTo(1);
  }

  /** At most twice as long passes until it is found out. */
  private void requireClosedInTime() {
    pass(IDLE_MS);
    pass(IDLE_MS);
    pass(TimeUnit.SECONDS.toMillis(10));
    assertThat(nettyChannel.isOpen()).isFalse();
  }

  @Test
  void no_timer_holds_a_connection_that_is_gone() {
    nettyChannel.pipeline().fireChannelActive();
    assertThat(nettyChannel.runScheduledPendingTasks()).as("until it is looked at").isPositive();
    // The embedded channel's own close would cancel everything.
    var unused = nettyChannel.pipeline().close();
    nettyChannel.runPendingTasks();
    assertThat(nettyChannel.isOpen()).isFalse();
    assertThat(nettyChannel.runScheduledPendingTasks()).as("nothing is scheduled").isEqualTo(-1);
  }

  @Test
  void who_holds_nothing_is_closed_at_the_limit_and_not_before() {
    pass(IDLE_MS - 1);
    assertThat(nettyChannel.isOpen()).isTrue();
    requireClosedInTime();
  }

  @Test
  void a_session_keeps_its_connection_for_as_long_as_it_lives() {
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
