package io.tunnel.server.net;

import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.ChannelKey;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A node that leads a partition, and a worker that attaches to channels of it. */
final class AttachFixture implements Closeable {

  /** How long grants last here. */
  static final long LIFE_MS = 30_000;

  private static final int CREDIT_BYTES = 1 << 20;

  final TestNode node;
  final RawClient worker;

  /** A partition that the node leads. */
  final int here;

  AttachFixture(Path directory) throws IOException {
    node = new TestNode(directory);
    worker = node.client();
    here = TestNode.first(node.mine);
  }

  /** A request for the changes of the partition, with a grant. */
  Attach stream(long epoch, long position, Optional<Long> end) {
    return granted(ungranted("t", ChannelType.Stream, epoch, position, Bytes.EMPTY), end);
  }

  /** A request for a channel of a tunnel, without a grant. */
  Attach ungranted(String tunnelId, ChannelType type, long epoch, long position, Bytes key) {
    return new Attach(
        tunnelId,
        new ChannelKey(here, type).channelId(tunnelId),
        here,
        type,
        epoch,
        position,
        key,
        Optional.empty(),
        Optional.empty(),
        Bytes.EMPTY);
  }

  /** The request with a grant that lasts for {@link #LIFE_MS}, and ends there if that is known. */
  Attach granted(Attach request, Optional<Long> end) {
    return granted(
        request, new Terms("n", request.position(), end, Optional.empty(), untilMs(), LIFE_MS));
  }

  Attach granted(Attach request, Terms terms) {
    Granted granted = new Granted(request.channelId(), here, request.epoch(), "");
    return request.withGrant(node.catalog.grants().of(granted, terms));
  }

  /** When a grant ends that is made now. */
  long untilMs() {
    return node.clock.epochMicros() / 1_000 + LIFE_MS;
  }

  /** A request for the rows of the partition behind a key, with a grant. */
  Attach base(long epoch, long position, Bytes key) {
    return granted(ungranted("t", ChannelType.BaseData, epoch, position, key), Optional.empty());
  }

  /** A request for all rows of the partition, with a grant. */
  Attach base(long epoch) {
    return base(epoch, 0, Bytes.EMPTY);
  }

  static int attach(RawClient client, Attach request) throws IOException {
    return client.granted(Operation.ATTACH, request, Attached.class).handle();
  }

  static void credit(RawClient client, int handle, long epoch) throws IOException {
    client.push(Operation.CREDIT, new Credit(handle, epoch, CREDIT_BYTES).encode());
  }

  static Delivery delivered(RawClient client) throws IOException {
    Frame frame = client.pushed(Operation.DELIVER);
    assertThat(frame.kind()).isEqualTo(FrameKind.PUSH);
    return Delivery.decode(frame.payload());
  }

  void write(String... keys) throws IOException {
    for (String key : keys) {
      worker.granted(Operation.WRITE, TestNode.write(node.mine, here, put(key)));
    }
    node.settleBounds();
  }

  /** The client is told why nothing more is delivered to it under that handle. */
  static void requireTaken(RawClient client, int handle, ErrorCode code) throws IOException {
    Frame told = client.pushed(Operation.DELIVER);
    assertThat(told.correlationId()).isEqualTo(handle);
    assertThat(RawClient.error(told).code()).isEqualTo(code);
  }

  @Override
  public void close() throws IOException {
    worker.close();
    node.close();
  }
}
