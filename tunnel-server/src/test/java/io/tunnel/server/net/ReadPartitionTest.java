package io.tunnel.server.net;

import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.IncarnationHistory.Numbers;
import io.tunnel.server.changes.IncarnationHistory.Start;
import io.tunnel.server.net.delivery.Attachments;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.Positions;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions that are read without a tunnel, over real connections to a node of a cluster. */
final class ReadPartitionTest {

  @TempDir private Path directory;
  private TestNode node;
  private RawClient reader;
  private int here;

  @BeforeEach
  void open() throws IOException {
    node = new TestNode(directory);
    reader = node.client();
    here = TestNode.first(node.mine);
  }

  @AfterEach
  void close() throws IOException {
    reader.close();
    node.close();
  }

  private ReadPartition changes(long position, Optional<Long> end) {
    return new ReadPartition(
        here, ChannelType.Stream, position, Bytes.EMPTY, end, Optional.empty());
  }

  private ReadPartition rows(long position, Bytes key) {
    return new ReadPartition(
        here, ChannelType.BaseData, position, key, Optional.empty(), Optional.empty());
  }

  private static int read(RawClient client, ReadPartition request) throws IOException {
    return client.granted(Operation.READ_PARTITION, request, Attached.class).handle();
  }

  private static void credit(RawClient client, int handle, int bytes) throws IOException {
    client.push(Operation.CREDIT, new Credit(handle, 0, bytes).encode());
  }

  private static Delivery delivered(RawClient client) throws IOException {
    return Delivery.decode(client.pushed(Operation.DELIVER).payload());
  }

  private static ChannelEnd ended(RawClient client) throws IOException {
    return ChannelEnd.decode(client.pushed(Operation.END_OF_CHANNEL).payload());
  }

  private void write(String... keys) throws IOException {
    for (String key : keys) {
      reader.granted(Operation.WRITE, TestNode.write(node.mine, here, put(key)));
    }
    node.settleBounds();
  }

  @Test
  void any_number_of_readers_read_the_same_from_where_each_is() throws IOException {
    write("a", "b", "c");
    try (RawClient other = node.client()) {
      int first = read(reader, changes(1, Optional.empty()));
      int again = read(reader, changes(0, Optional.empty()));
      int elsewhere = read(other, changes(2, Optional.empty()));
      assertThat(node.readings.count()).isEqualTo(3);
      credit(other, elsewhere, 1 << 20);
      assertThat(delivered(other).firstPosition()).isEqualTo(3);
      credit(reader, again, 1 << 20);
      assertThat(delivered(reader))
          .extracting(Delivery::handle, Delivery::epoch, Delivery::firstPosition)
          .containsExactly(again, 0L, 1L);
      credit(reader, first, 1 << 20);
      assertThat(delivered(reader))
          .extracting(Delivery::handle, Delivery::firstPosition)
          .containsExactly(first, 2L);
    }
    reader.granted(Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class);
  }

  private static ReadPartition knowing(ReadPartition request, long position, long incarnation) {
    return new ReadPartition(
        request.partition(),
        request.type(),
        request.position(),
        request.key(),
        request.end(),
        request.endMs(),
        Optional.of(new KnownPosition(position, incarnation)));
  }

  private ErrorPayload refused(ReadPartition request) throws IOException {
    return reader.refused(Operation.READ_PARTITION, Json.encode(request));
  }

  @Test
  void who_knows_what_was_lost_is_refused_and_told_up_to_where_it_is_not() throws IOException {
    write("a", "b", "c");
    node.histories.put(here, new IncarnationHistory(List.of(5L, 8L), List.of(new Start(8, 3))));
    assertThat(
            reader
                .granted(
                    Operation.READ_PARTITION,
                    knowing(changes(2, Optional.empty()), 2, 5),
                    Attached.class)
                .incarnation())
        .contains(8L);
    var unused = read(reader, knowing(changes(3, Optional.empty()), 3, 8));
    ErrorPayload lost = refused(knowing(changes(3, Optional.empty()), 3, 5));
    assertThat(lost.code()).isEqualTo(ErrorCode.POSITION_REPLACED);
    assertThat(lost.message()).contains("up to position 3", "behind 2", "incarnation 5");
    assertThat(refused(knowing(changes(1, Optional.empty()), 3, 5)).code())
        .as("it knows more than it asks for")
        .isEqualTo(ErrorCode.POSITION_REPLACED);
    assertThat(refused(knowing(changes(1, Optional.empty()), 1, 6)).code())
        .as("of another life")
        .isEqualTo(ErrorCode.POSITION_REPLACED);
    unused = read(reader, knowing(changes(0, Optional.empty()), 0, 6));
    assertThat(refused(knowing(rows(1, TestRows.keyBytes("a")), 3, 5)).code())
        .as("rows have changes")
        .isEqualTo(ErrorCode.POSITION_REPLACED);
    unused = read(reader, knowing(rows(1, TestRows.keyBytes("a")), 2, 5));
    assertThat(refused(knowing(changes(1, Optional.empty()), 4, 8)).code())
        .as("beyond everything")
        .isEqualTo(ErrorCode.POSITION_REPLACED);
  }

  @Test
  void what_is_of_a_later_incarnation_comes_to_those_who_were_told_it() throws IOException {
    write("a");
    node.histories.put(here, new IncarnationHistory(List.of(5L), List.of(new Start(5, 1))));
    int former = read(reader, changes(1, Optional.empty()));
    credit(reader, former, 1 << 20);
    node.histories.put(
        here, new IncarnationHistory(List.of(5L, 6L), List.of(new Start(5, 1), new Start(6, 2))));
    write("b");
    assertThat(RawClient.error(reader.pushed(Operation.DELIVER)).code()).isEqualTo(ErrorCode.BUSY);
    Attached again =
        reader.granted(
            Operation.READ_PARTITION, knowing(changes(1, Optional.empty()), 1, 5), Attached.class);
    assertThat(again.incarnation()).contains(6L);
    credit(reader, again.handle(), 1 << 20);
    assertThat(delivered(reader).firstPosition()).isEqualTo(2);
  }

  @Test
  void nothing_comes_without_credit_nor_behind_detach() throws IOException {
    write("a");
    int handle = read(reader, changes(0, Optional.empty()));
    reader.granted(Operation.DETACH, new ChannelRef(handle, 0).encode());
    credit(reader, handle, 1 << 20);
    int next = read(reader, changes(0, Optional.empty()));
    credit(reader, next, 1 << 20);
    assertThat(delivered(reader).handle()).isEqualTo(next);
    assertThat(node.readings.count()).isEqualTo(1);
  }

  @Test
  void reading_ends_at_the_position_that_was_asked_for_or_is_said_later() throws IOException {
    write("a", "b");
    int handle = read(reader, changes(0, Optional.of(1L)));
    credit(reader, handle, 1 << 20);
    assertThat(delivered(reader).batches()).hasSize(1);
    assertThat(ended(reader)).isEqualTo(new ChannelEnd(handle, 0, 1));
    int open = read(reader, changes(2, Optional.empty()));
    reader.push(Operation.LIMIT, new ChannelEnd(open, 0, 2).encode());
    assertThat(ended(reader)).isEqualTo(new ChannelEnd(open, 0, 2));
  }

  @Test
  void rows_are_served_when_everything_is_read_that_the_log_held_then() throws IOException {
    write("a");
    node.bounds.set(here, 1, 2);
    int waiting = reader.send(Operation.READ_PARTITION, Json.encode(rows(0, Bytes.EMPTY)));
    // Later requests are answered while the read waits.
    reader.granted(Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class);
    reader.granted(Operation.WRITE, TestNode.write(node.mine, here, put("b")));
    Attached attached =
        Json.decode(reader.answer(Operation.READ_PARTITION, waiting).payload(), Attached.class);
    credit(reader, attached.handle(), 1 << 20);
    assertThat(delivered(reader).batches().get(0).rowCount()).isEqualTo(2);
    assertThat(ended(reader)).isEqualTo(new ChannelEnd(attached.handle(), 0, 2));
    int behind = read(reader, rows(1, TestRows.keyBytes("a")));
    credit(reader, behind, 1 << 20);
    assertThat(delivered(reader).firstPosition()).isEqualTo(2);
  }

  private ChannelEnd settled() throws IOException {
    return ChannelEnd.decode(reader.pushed(Operation.SETTLED).payload());
  }

  @Test
  void rows_say_which_changes_they_have() throws IOException {
    int empty = read(reader, rows(0, Bytes.EMPTY));
    assertThat(settled()).as("also that there are none").isEqualTo(new ChannelEnd(empty, 0, 0));
    assertThat(ended(reader)).isEqualTo(new ChannelEnd(empty, 0, 0));
    write("a", "a");
    int handle = read(reader, rows(0, Bytes.EMPTY));
    credit(reader, handle, 1 << 20);
    assertThat(settled()).isEqualTo(new ChannelEnd(handle, 0, 2));
    assertThat(delivered(reader).batches().get(0).rowCount()).isEqualTo(1);
    assertThat(ended(reader)).isEqualTo(new ChannelEnd(handle, 0, 1));
  }

  @Test
  void a_position_that_does_not_exist_is_refused_when_that_is_certain() throws IOException {
    write("a");
    ErrorPayload refusal = reader.refused(Operation.READ_PARTITION, changes(2, Optional.empty()));
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_POSITION);
    assertThat(refusal.message()).contains("no position 2").contains("is 1");
    node.bounds.set(here, 1, 2);
    int waiting = reader.send(Operation.READ_PARTITION, Json.encode(changes(2, Optional.empty())));
    reader.granted(Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class);
    reader.granted(Operation.WRITE, TestNode.write(node.mine, here, put("b")));
    assertThat(
            Json.decode(reader.answer(Operation.READ_PARTITION, waiting).payload(), Attached.class)
                .handle())
        .as("it was only not read yet")
        .isPositive();
    node.bounds.unreachable(true);
    assertThat(reader.refused(Operation.READ_PARTITION, changes(9, Optional.empty())).code())
        .isEqualTo(ErrorCode.LOG_UNAVAILABLE);
  }

  @Test
  void who_loses_a_partition_says_who_leads_it_now() throws IOException {
    write("a");
    int handle = read(reader, changes(0, Optional.empty()));
    node.lose(here);
    Frame told = reader.pushed(Operation.DELIVER);
    assertThat(told.correlationId()).isEqualTo(handle);
    assertThat(RawClient.error(told).leader()).contains(TestNode.THERE);
    assertThat(node.readings.count()).isZero();
    ErrorPayload refusal = reader.refused(Operation.READ_PARTITION, changes(0, Optional.empty()));
    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refusal.leader()).contains(TestNode.THERE);
  }

  /** A node tells the readers of these partitions when another node leads a partition. */
  @Test
  void a_partition_counts_as_delivered_while_somebody_reads_the_partition() throws IOException {
    write("a");
    assertThat(node.readings.partitions()).isEmpty();
    int handle = read(reader, changes(0, Optional.empty()));
    credit(reader, handle, 1 << 20);
    assertThat(delivered(reader).firstPosition()).isEqualTo(1);
    assertThat(node.readings.partitions()).containsExactly(here);
    node.lose(here);
    assertThat(reader.pushed(Operation.DELIVER).correlationId()).isEqualTo(handle);
    assertThat(node.readings.partitions()).isEmpty();
  }

  @Test
  void who_reads_a_table_that_is_dropped_is_not_sent_to_look_for_its_leader() throws IOException {
    write("a");
    int there = node.mine.partitions().get(1).id();
    node.catalog.followed(Map.of("table/" + node.mine.tableId(), Optional.empty()));
    ErrorPayload refusal = reader.refused(Operation.READ_PARTITION, changes(0, Optional.empty()));
    assertThat(refusal.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    assertThat(refusal.message()).contains("partition " + here).contains("dropped");
    here = there;
    assertThat(reader.refused(Operation.READ_PARTITION, changes(0, Optional.empty())).code())
        .as("of a partition that another node led")
        .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    here = node.theirs.partitions().get(0).id() + 1_000;
    assertThat(reader.refused(Operation.READ_PARTITION, changes(0, Optional.empty())).code())
        .as("of one that this node may only not know yet")
        .isEqualTo(ErrorCode.NOT_LEADER);
  }

  @Test
  void a_connection_reads_so_many_partitions_and_no_more() throws IOException {
    for (int i = 0; i < Attachments.OF_CONNECTION_MAX; i++) {
      reader.send(Operation.READ_PARTITION, Json.encode(changes(0, Optional.empty())));
    }
    ErrorPayload refusal = reader.refused(Operation.READ_PARTITION, changes(0, Optional.empty()));
    assertThat(refusal.code()).as("a retry would not help").isEqualTo(ErrorCode.LIMIT_REACHED);
    assertThat(refusal.message()).contains("4096 partitions").contains("another client");
  }

  private static IncarnationHistory ledBy(Start... starts) {
    return new IncarnationHistory(
        Stream.of(starts).map(Start::incarnation).toList(), List.of(starts), Numbers.ORDERED);
  }

  private Positions found() throws IOException {
    return reader
        .granted(
            Operation.FIND_POSITIONS,
            new FindPositions("mine", Optional.empty()),
            FoundPositions.class)
        .partitions()
        .get(0);
  }

  @Test
  void positions_that_were_found_are_of_the_leader_who_told_them_though_it_has_written_nothing()
      throws IOException {
    write("a", "b", "c");
    node.histories.put(here, ledBy(new Start(5, 1)));
    node.bounds.set(here, 1, 3, ledBy(new Start(5, 1), new Start(7, 4)));
    Positions found = found();
    assertThat(found.incarnation()).contains(7L);
    ReadPartition latest = knowing(changes(3, Optional.empty()), found.latest(), 7);
    var unused = read(reader, latest);
    node.histories.put(here, ledBy(new Start(5, 1), new Start(7, 4)));
    unused = read(reader, latest);
    node.histories.put(here, ledBy(new Start(5, 1), new Start(8, 3)));
    ErrorPayload lost = refused(latest);
    assertThat(lost.code()).isEqualTo(ErrorCode.POSITION_REPLACED);
    assertThat(lost.message()).contains("behind 2");
  }

  /** A copy that was not told of a loss yet has positions that are other changes now. */
  @Test
  void who_knows_a_later_incarnation_than_the_copy_waits_until_it_has_read_the_log()
      throws IOException {
    write("a", "b");
    node.histories.put(here, ledBy(new Start(5, 1)));
    node.bounds.set(here, 1, 3, ledBy(new Start(5, 1), new Start(7, 2)));
    ReadPartition later = knowing(changes(2, Optional.empty()), 2, 7);
    int waiting = reader.send(Operation.READ_PARTITION, Json.encode(later));
    // Later requests are answered while the read waits.
    reader.granted(Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class);
    node.histories.put(here, ledBy(new Start(5, 1), new Start(7, 2), new Start(8, 3)));
    reader.granted(Operation.WRITE, TestNode.write(node.mine, here, put("c")));
    Attached attached =
        Json.decode(reader.answer(Operation.READ_PARTITION, waiting).payload(), Attached.class);
    assertThat(attached.incarnation()).contains(8L);
  }

  @Test
  void positions_are_those_of_the_shared_log() throws IOException {
    int there = node.mine.partitions().get(1).id();
    node.bounds.set(here, 3, 9);
    node.bounds.set(there, 1, 0);
    node.bounds.record(here, 5, 1_000_000);
    FoundPositions found =
        reader.granted(
            Operation.FIND_POSITIONS,
            new FindPositions("mine", Optional.empty()),
            FoundPositions.class);
    assertThat(found.tableId()).isEqualTo(node.mine.tableId());
    assertThat(found.partitions())
        .containsExactly(
            new Positions(here, 2, 9, Optional.empty()),
            new Positions(there, 0, 0, Optional.empty()));
    assertThat(
            reader
                .refused(Operation.FIND_POSITIONS, new FindPositions("mine", Optional.of(1L << 50)))
                .code())
        .isEqualTo(ErrorCode.INVALID_POSITION);
    assertThat(
            reader
                .refused(Operation.FIND_POSITIONS, new FindPositions("mine", Optional.of(0L)))
                .code())
        .isEqualTo(ErrorCode.INVALID_POSITION);
    node.bounds.unreachable(true);
    assertThat(
            reader
                .refused(Operation.FIND_POSITIONS, new FindPositions("mine", Optional.empty()))
                .code())
        .isEqualTo(ErrorCode.LOG_UNAVAILABLE);
  }
}
