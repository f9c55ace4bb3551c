package io.tunnel.server.net;

import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tunnel.model.ChannelType;
import io.tunnel.model.Direction;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One connection that asks for much and takes little of it, and an ordinary one beside it. */
final class PipelinedReadsTest {

  private static final int PAGE_BYTES = 4 << 20;
  private static final int VALUE_BYTES = 1_450_000;
  private static final int PIPELINED = 256;
  private static final int READINGS = 64;

  /** Each larger than a delivery should be. */
  private static final int ROWS = 5;

  private static final long CONNECTION_MAX = NetLimits.DEFAULT.connectionAnswerBytesMax();

  @TempDir private Path directory;
  private TestNode node;
  private RawClient greedy;
  private RawClient modest;
  private int here;
  private long peak;

  @BeforeEach
  void open() throws IOException {
    node = TestNode.reading(directory, NetLimits.DEFAULT);
    greedy = node.client();
    modest = node.client();
    here = TestNode.first(node.mine);
    byte[] value = new byte[VALUE_BYTES];
    for (String key : List.of("a", "b", "c", "d")) {
      Column one = new Column("one", ColumnValue.fromBinary(value));
      Column two = new Column("two", ColumnValue.fromBinary(value));
      modest.granted(Operation.WRITE, TestNode.write(node.mine, here, put(key, one, two)));
    }
    modest.granted(Operation.WRITE, TestNode.write(node.mine, here, put("e")));
    node.settleBounds();
  }

  @AfterEach
  void close() throws IOException {
    greedy.close();
    modest.close();
    node.close();
  }

  private byte[] range() {
    return new RangeRequest(
            node.mine.tableId(), Direction.FORWARD, 5_000, PAGE_BYTES, Bytes.EMPTY, Bytes.EMPTY)
        .encode();
  }

  private List<Integer> pipeline(int count) throws IOException {
    List<Integer> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(greedy.send(Operation.GET_RANGE, range()));
    }
    return asked;
  }

  /** An ordinary client reads pages and rows; what all hold meanwhile is looked at. */
  private void readBeside(int count) throws IOException {
    byte[] row = new GetRowRequest(node.mine.tableId(), keyBytes("e")).encode();
    for (int i = 0; i < count; i++) {
      look();
      assertThat(modest.granted(Operation.GET_RANGE, range()).length).isGreaterThan(PAGE_BYTES);
      look();
      assertThat(modest.granted(Operation.GET_ROW, row)).isNotEmpty();
    }
  }

  /** Small requests are answered meanwhile. */
  private void until(BooleanSupplier condition) throws IOException {
    for (int tries = 1; !condition.getAsBoolean(); tries++) {
      assertThat(tries).isLessThan(100_000);
      modest.granted(Operation.LIST_TABLES, new byte[] {'{', '}'});
    }
  }

  private void look() {
    peak = Math.max(peak, node.held().untakenBytes());
  }

  /** Of the greedy one and of the ordinary one, which takes one page at a time. */
  private void requireBounded() {
    assertThat(peak).isLessThanOrEqualTo(CONNECTION_MAX + 2L * PAGE_BYTES);
  }

  @Test
  void a_client_that_takes_none_of_256_pages_is_read_few_and_others_read_on() throws IOException {
    pipeline(PIPELINED);
    until(() -> node.held().untakenBytes() > PAGE_BYTES);
    readBeside(20);
    // The last page of the ordinary client may be counted still, until the socket has taken it.
    until(() -> node.held().untakenBytes() < 2L * PAGE_BYTES);
    long held = node.held().untakenBytes();
    readBeside(20);
    until(() -> node.held().untakenBytes() < 2L * PAGE_BYTES);
    assertThat(node.held().untakenBytes())
        .as("nothing more is read")
        .isCloseTo(held, within(PAGE_BYTES / 2L));
    requireBounded();
  }

  @Test
  void a_client_that_takes_pages_slowly_gets_all_of_them_in_the_end() throws IOException {
    for (int asked : pipeline(PIPELINED / 4)) {
      readBeside(1);
      Frame page = greedy.answer(Operation.GET_RANGE, asked);
      assertThat(page.kind()).isEqualTo(FrameKind.RESPONSE);
      assertThat(RowPage.decode(page.payload()).rows().rowCount()).isEqualTo(2);
    }
    requireBounded();
    until(() -> node.held().untakenBytes() == 0);
  }

  @Test
  void
      a_client_that_reads_the_partition_64_times_and_takes_nothing_is_read_few_pages_and_all_of_them_when_it_does()
          throws IOException {
    List<Integer> handles = new ArrayList<>();
    for (int i = 0; i < READINGS; i++) {
      ReadPartition request =
          new ReadPartition(
              here, ChannelType.BaseData, 0, Bytes.EMPTY, Optional.empty(), Optional.empty());
      handles.add(greedy.granted(Operation.READ_PARTITION, request, Attached.class).handle());
    }
    for (int handle : handles) {
      greedy.push(Operation.CREDIT, new Credit(handle, 0, 1 << 30).encode());
    }
    until(() -> node.held().untakenBytes() > PAGE_BYTES / 2);
    readBeside(20);
    requireBounded();
    Map<Integer, Integer> deliveries = new HashMap<>();
    for (int i = 0; i < ROWS * READINGS; i++) {
      Delivery delivery = Delivery.decode(greedy.pushed(Operation.DELIVER).payload());
      deliveries.merge(delivery.handle(), 1, Integer::sum);
    }
    assertThat(deliveries).containsOnlyKeys(handles);
    assertThat(deliveries.values()).containsOnly(ROWS);
  }

  @Test
  void who_asks_for_thousands_of_descriptions_gets_all_of_them() throws IOException {
    for (int i = 0; i < 2_000; i++) {
      greedy.send(Operation.LIST_TABLES, new byte[] {'{', '}'});
    }
    int last = greedy.send(Operation.LIST_TABLES, new byte[] {'{', '}'});
    assertThat(greedy.answer(Operation.LIST_TABLES, last).kind()).isEqualTo(FrameKind.RESPONSE);
  }
}
