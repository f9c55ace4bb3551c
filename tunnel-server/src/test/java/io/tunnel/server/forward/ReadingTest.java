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
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.cluster.FakeView;
import io.tunnel.server.forward.Forwarding.Changes;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.server.forward.ScriptedNode.Asked;
import io.tunnel.server.net.NetServer;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Readings of partitions: a delivery each, and no reading is left at the node. */
final class ReadingTest {

  private static final OnBehalf WHO = new OnBehalf(Optional.empty(), "192.0.2.9");
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int HANDLE = 77;

  private final FakeView view = new FakeView("127.0.0.1:1");
  private final LocalAddress self = new LocalAddress(ReadingTest.class);
  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
  private final EventLoopGroup nodeLoop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
  private final Forwarder forwarder =
      new Forwarder(
          new Forwarder.Self("n0", new NetServer.Self(self, loop)),
          view,
          NetServer.Door.open(),
          new Forwarder.Machine(count -> Bytes.copyOf(new byte[count]), System::nanoTime),
          ForwardMeter.NONE);

  ReadingTest() {
    ScriptedNode unused = new ScriptedNode(loop, LocalServerChannel.class, self, asked::add);
  }

  @AfterEach
  void end() {
    forwarder.close();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    nodeLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private CompletableFuture<Changes> read(Duration patience) {
    ReadPartition behind =
        new ReadPartition(
            3, ChannelType.Stream, 9, Bytes.EMPTY, Optional.empty(), Optional.empty());
    return forwarder.read(WHO, behind, 1_000, patience);
  }

  private Asked next(Operation operation) throws Exception {
    Asked next = asked.poll(60, TimeUnit.SECONDS);
    assertThat(next.frame().operation()).isEqualTo(operation);
    return next;
  }

  private Asked opened(int handle) throws Exception {
    Asked request = next(Operation.READ_PARTITION);
    assertThat(Json.decode(request.frame().payload(), ReadPartition.class).position()).isEqualTo(9);
    request.answer(Json.encode(new Attached(handle, Optional.of(4L))));
    Frame credit = next(Operation.CREDIT).frame();
    assertThat(credit.kind()).isEqualTo(FrameKind.PUSH);
    assertThat(Credit.decode(credit.payload())).isEqualTo(new Credit(handle, 0, 1_000));
    return request;
  }

  private static void push(Asked to, Operation operation, byte[] payload) {
    Frame frame = new Frame(operation, FrameKind.PUSH, 0, payload);
    to.sendBytes(frame.header(), payload);
  }

  private static void deliver(Asked to, int handle, String key) {
    ChangeBatch batch = TestRows.batch(3, TestRows.put(key));
    byte[] bytes =
        Arrays.copyOfRange(batch.array(), batch.offset(), batch.offset() + batch.byteCount());
    byte[] payload = new byte[Delivery.PREFIX_BYTES + bytes.length];
    Delivery.writePrefix(payload, 0, handle, 0, 10);
    System.arraycopy(bytes, 0, payload, Delivery.PREFIX_BYTES, bytes.length);
    push(to, Operation.DELIVER, payload);
  }

  private void requireDetached(int handle) throws Exception {
    Asked detach = next(Operation.DETACH);
    assertThat(ChannelRef.decode(detach.frame().payload())).isEqualTo(new ChannelRef(handle, 0));
    detach.answer(new byte[0]);
  }

  @Test
  void the_first_delivery_is_the_answer_and_the_reading_ends() throws Exception {
    CompletableFuture<Changes> first = read(LONG);
    Asked node = opened(HANDLE);
    deliver(node, HANDLE + 1, "of nobody");
    deliver(node, HANDLE, "a");
    deliver(node, HANDLE, "too many");
    Changes got = first.get(60, TimeUnit.SECONDS);
    assertThat(got.incarnation()).contains(4L);
    assertThat(got.settled()).isEmpty();
    assertThat(got.delivery().orElseThrow().handle()).isEqualTo(HANDLE);
    assertThat(got.delivery().orElseThrow().firstPosition()).isEqualTo(10);
    assertThat(got.delivery().orElseThrow().batches().get(0).toString()).isNotEmpty();
    requireDetached(HANDLE);

    CompletableFuture<Changes> second = read(LONG);
    deliver(opened(HANDLE + 1), HANDLE + 1, "b");
    assertThat(second.get(60, TimeUnit.SECONDS).delivery()).isPresent();
    requireDetached(HANDLE + 1);
    assertThat(asked).isEmpty();
  }

  @Test
  void a_reading_without_changes_ends_when_its_patience_does() throws Exception {
    CompletableFuture<Changes> read = read(Duration.ofMillis(50));
    Asked node = opened(HANDLE);
    assertThat(read.get(60, TimeUnit.SECONDS))
        .isEqualTo(new Changes(Optional.of(4L), OptionalLong.empty(), Optional.empty()));
    requireDetached(HANDLE);
    deliver(node, HANDLE, "late");
    assertThat(asked).isEmpty();
  }

  @Test
  void a_settled_position_ends_a_reading_too() throws Exception {
    CompletableFuture<Changes> read = read(LONG);
    push(opened(HANDLE), Operation.SETTLED, new ChannelEnd(HANDLE, 0, 15).encode());
    assertThat(read.get(60, TimeUnit.SECONDS).settled()).hasValue(15);
    requireDetached(HANDLE);
  }

  @Test
  void the_node_says_why_a_reading_cannot_go_on_and_the_connection_stays() throws Exception {
    CompletableFuture<Changes> read = read(LONG);
    Asked node = opened(HANDLE);
    byte[] why = new ErrorPayload(ErrorCode.HISTORY_LOST, "gone").encode();
    Frame error = new Frame(Operation.DELIVER, FrameKind.ERROR, HANDLE, why);
    node.sendBytes(error.header(), why);
    assertThatThrownBy(() -> read.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(RefusedException.class)
        .hasMessageContaining("gone");
    CompletableFuture<Changes> second = read(LONG);
    Asked again = opened(HANDLE);
    assertThat(again.context()).isSameAs(node.context());
    deliver(again, HANDLE, "a");
    assertThat(second.get(60, TimeUnit.SECONDS).delivery()).isPresent();
  }

  @Test
  void a_reading_follows_the_leader_that_is_named() throws Exception {
    ScriptedNode leader =
        new ScriptedNode(
            nodeLoop,
            NioServerSocketChannel.class,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            asked::add);
    CompletableFuture<Changes> read = read(LONG);
    next(Operation.READ_PARTITION)
        .refuse(RefusedException.notLeader("elsewhere", Optional.of(leader.address())));
    deliver(opened(HANDLE), HANDLE, "a");
    assertThat(read.get(60, TimeUnit.SECONDS).delivery()).isPresent();
    assertThat(leader.requests).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  void readings_whose_connection_ends_fail() throws Exception {
    List<CompletableFuture<Changes>> open = List.of(read(LONG), read(LONG));
    next(Operation.READ_PARTITION).answer(Json.encode(new Attached(HANDLE)));
    next(Operation.READ_PARTITION);
    next(Operation.CREDIT).disconnect();
    for (CompletableFuture<Changes> each : open) {
      assertThatThrownBy(() -> each.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(ForwardException.class);
    }
  }
}
