package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.access.Gate;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Pushes of a connection for its channels. */
final class ConnectionTest {

  private final Counted counted = new Counted();
  private final Connection connection =
      new Connection(
          null,
          NetServer.Door.open(),
          counted,
          "server",
          NetServer.Budgets.of(NetLimits.DEFAULT, 10, Gate.open()));
  private final EmbeddedChannel nettyChannel = new EmbeddedChannel(connection);

  private static final class Counted implements NetMeter {
    private int sentBytes;
    private int deliveredBytes;

    @Override
    public void connected() {}

    @Override
    public void disconnected() {}

    @Override
    public void received(int bytes) {}

    @Override
    public void sent(int bytes) {
      sentBytes += bytes;
    }

    @Override
    public void delivered(int bytes, long rows, long commitMicros) {
      deliveredBytes += bytes;
    }

    @Override
    public void closed(Farewell why) {}

    @Override
    public void refused(ErrorCode code) {}
  }

  private List<Frame> pushed() {
    return SentFrames.takenFrom(nettyChannel);
  }

  @Test
  void a_connection_that_has_just_closed_is_passed_over() {
    EmbeddedChannel closed = new EmbeddedChannel();
    List<Connection> met = new ArrayList<>();
    NetServer.forEach(List.of(closed, nettyChannel), met::add);
    assertThat(met).containsExactly(connection);
  }

  /** Ending the session of one client hands its channels to the session of another. */
  @Test
  void threads_that_serve_others_too_do_not_fail_because_a_connection_ended_with_the_server()
      throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    Connection late =
        new Connection(
            null,
            NetServer.Door.open(),
            counted,
            "server",
            NetServer.Budgets.of(NetLimits.DEFAULT, 10, Gate.open()));
    LocalChannel channel = new LocalChannel();
    channel.pipeline().addLast(late);
    loops.register(channel).sync();
    List<String> done = new CopyOnWriteArrayList<>();
    late.execute(() -> done.add("while it runs"));
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    late.execute(() -> done.add("behind its end"));
    late.closeAtOnce(Farewell.NOT_GREETED);
    assertThat(done).containsExactly("while it runs");
  }

  @Test
  void a_batch_that_was_made_for_a_delivery_is_sent_and_counted_as_one() {
    BatchBuilder rows = new BatchBuilder(TestRows.SCHEMA, 64);
    rows.add(new RowPutChange(TestRows.key("k"), List.of()));
    byte[] batch = rows.build(4, 11, 1);
    int bytes = connection.deliveries().deliver(3, 5, 11, batch, 1);
    List<Frame> frames = pushed();
    assertThat(frames).hasSize(1);
    assertThat(frames.get(0).operation()).isEqualTo(Operation.DELIVER);
    assertThat(frames.get(0).kind()).isEqualTo(FrameKind.PUSH);
    assertThat(bytes).isEqualTo(frames.get(0).payload().length);
    Delivery delivery = Delivery.decode(frames.get(0).payload());
    assertThat(delivery.handle()).isEqualTo(3);
    assertThat(delivery.epoch()).isEqualTo(5);
    assertThat(delivery.firstPosition()).isEqualTo(11);
    assertThat(Bytes.copyOf(frames.get(0).payload(), Delivery.PREFIX_BYTES, batch.length))
        .isEqualTo(Bytes.copyOf(batch));
    assertThat(counted.deliveredBytes).isEqualTo(bytes);
    assertThat(counted.sentBytes).isZero();
  }
}
