package io.tunnel.server.net;

import static io.tunnel.server.TestRows.put;
import static io.tunnel.server.net.AttachFixture.attach;
import static io.tunnel.server.net.AttachFixture.credit;
import static io.tunnel.server.net.AttachFixture.delivered;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Base channels, whose rows are delivered where their partitions are led. */
final class AttachedRowsTest {

  @TempDir private Path directory;
  private AttachFixture at;

  @BeforeEach
  void open() throws IOException {
    at = new AttachFixture(directory);
  }

  @AfterEach
  void close() throws IOException {
    at.close();
  }

  @Test
  void rows_are_served_when_everything_is_read_that_the_log_held_then() throws IOException {
    at.write("a");
    at.node.bounds.set(at.here, 1, 2);
    int waiting = at.worker.send(Operation.ATTACH, Json.encode(at.base(5)));
    // Later requests are answered while the attachment waits.
    at.worker.granted(
        Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class);
    assertThat(at.node.attachments.count()).isEqualTo(1);
    at.worker.granted(Operation.WRITE, TestNode.write(at.node.mine, at.here, put("b")));
    Attached attached =
        Json.decode(at.worker.answer(Operation.ATTACH, waiting).payload(), Attached.class);
    credit(at.worker, attached.handle(), 5);
    Delivery rows = delivered(at.worker);
    assertThat(rows.batches().get(0).rowCount()).isEqualTo(2);
    assertThat(ChannelEnd.decode(at.worker.pushed(Operation.END_OF_CHANNEL).payload()))
        .isEqualTo(new ChannelEnd(attached.handle(), 5, 2));
  }

  @Test
  void who_waits_for_rows_is_answered_when_the_partition_is_lost() throws IOException {
    at.node.bounds.set(at.here, 1, 2);
    int waiting = at.worker.send(Operation.ATTACH, Json.encode(at.base(5)));
    at.worker.granted(
        Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class);
    at.node.lose(at.here);
    assertThat(RawClient.error(at.worker.answer(Operation.ATTACH, waiting)).leader())
        .contains(TestNode.THERE);
    at.node.bounds.unreachable(true);
    at.node.lead(at.here);
    assertThat(at.worker.refused(Operation.ATTACH, at.base(6)).code())
        .isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(at.node.attachments.count()).isZero();
  }

  @Test
  void who_is_gone_while_it_waits_leaves_no_request_behind() throws IOException {
    at.node.bounds.set(at.here, 1, 2);
    try (RawClient leaving = at.node.client()) {
      leaving.send(Operation.ATTACH, Json.encode(at.base(5)));
      leaving.granted(
          Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class);
      assertThat(at.node.held().requestBytes()).isPositive();
    }
    for (int tries = 1; at.node.held().requestBytes() != 0; tries++) {
      assertThat(tries).as("answers of others").isLessThan(1_000);
      at.worker.granted(
          Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class);
    }
    assertThat(at.node.attachments.count()).isZero();
  }

  @Test
  void rows_go_on_behind_a_key_of_the_table_and_nothing_else() throws IOException {
    at.write("a", "b");
    Bytes noKey = Bytes.copyOf(new byte[1_000]);
    assertThat(at.worker.refused(Operation.ATTACH, at.base(5, 1, noKey)).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    ReadPartition reading =
        new ReadPartition(
            at.here, ChannelType.BaseData, 1, noKey, Optional.empty(), Optional.empty());
    assertThat(at.worker.refused(Operation.READ_PARTITION, reading).code())
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(at.node.attachments.count() + at.node.readings.count()).isZero();
    int handle = attach(at.worker, at.base(5, 1, TestRows.keyBytes("a")));
    credit(at.worker, handle, 5);
    assertThat(delivered(at.worker).batches().get(0).rowCount()).isEqualTo(1);
  }

  @Test
  void a_base_channel_has_no_limit() throws IOException {
    at.write("a");
    int handle = attach(at.worker, at.base(5));
    at.worker.push(Operation.LIMIT, new ChannelEnd(handle, 5, 1).encode());
    Frame farewell = at.worker.pushed(Operation.LIMIT);
    assertThat(RawClient.error(farewell).code()).isEqualTo(ErrorCode.INVALID_REQUEST);
  }
}
