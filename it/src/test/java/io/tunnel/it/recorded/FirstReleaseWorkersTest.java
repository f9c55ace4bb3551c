package io.tunnel.it.recorded;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.RawWrite;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workers of the first release give credit to what they are assigned, attach to nothing, and say no
 * keys of rows. A server that is alone delivers to them as it did.
 */
class FirstReleaseWorkersTest {

  private static final int ROWS = 4;

  @TempDir Path directory;

  private LiveServer server;
  private RawClient worker;
  private TableDescription table;

  @BeforeEach
  void open() throws IOException {
    server = new LiveServer(directory);
    worker = connect();
    table =
        worker.request(
            Operation.CREATE_TABLE,
            new Control.CreateTable(new TestTable("orders", 1).meta(), List.of()),
            TableDescription.class);
    write(1, ROWS);
  }

  @AfterEach
  void close() throws IOException {
    worker.close();
    server.close();
  }

  private RawClient connect() {
    RawClient client = RawClient.silent(server.port());
    byte[] hello = new Hello(1, "of the first release").encode();
    assertThat(client.request(Operation.HELLO, hello)).isNotEmpty();
    return client;
  }

  private void write(int first, int last) {
    List<RowChange> rows = new ArrayList<>();
    for (int i = first; i <= last; i++) {
      rows.add(TestTable.put(i, "a", i));
    }
    int partition = table.partitions().get(0).id();
    assertThat(
            worker.request(
                Operation.WRITE, RawWrite.payload(table.meta(), table.tableId(), partition, rows)))
        .isNotEmpty();
  }

  private String tunnel(TunnelType type) {
    return tunnel(new Control.CreateTunnel("orders", "audit", type, StreamStart.EARLIEST));
  }

  private String tunnel(Control.CreateTunnel plan) {
    return worker.request(Operation.CREATE_TUNNEL, plan, Control.TunnelInfo.class).tunnelId();
  }

  private static Assignment open(RawClient client, String tunnelId) {
    assertThat(
            client
                .request(
                    Operation.OPEN_SESSION,
                    new SessionControl.OpenSession(tunnelId, "raw", 30_000, 0),
                    SessionControl.SessionOpened.class)
                .sessionId())
        .isNotEmpty();
    return assigned(client);
  }

  private static Assignment assigned(RawClient client) {
    Assignment held = Json.decode(client.awaitPush(Operation.ASSIGN).payload(), Assignment.class);
    assertThat(held.isAttached()).isFalse();
    return held;
  }

  private static void credit(RawClient client, Assignment held, int bytes) {
    client.push(Operation.CREDIT, new Credit(held.handle(), held.epoch(), bytes).encode());
  }

  private static Delivery delivered(RawClient client, Assignment held) {
    Delivery delivery = Delivery.decode(client.awaitPush(Operation.DELIVER).payload());
    assertThat(delivery.handle()).isEqualTo(held.handle());
    return delivery;
  }

  private static void checkpoint(RawClient client, Assignment held, long position) {
    byte[] said = new Checkpoint(held.handle(), held.epoch(), position).encode();
    assertThat(client.request(Operation.CHECKPOINT, said)).isEmpty();
  }

  private static void release(RawClient client, Assignment held) {
    byte[] ref = new ChannelRef(held.handle(), held.epoch()).encode();
    assertThat(client.request(Operation.RELEASE, ref)).isEmpty();
  }

  @Test
  void rows_are_delivered_and_checkpointed_without_their_keys_and_changes_follow() {
    String tunnelId = tunnel(TunnelType.BaseAndStream);
    Assignment first = open(worker, tunnelId);
    assertThat(first.type()).isEqualTo(ChannelType.BaseData);
    credit(worker, first, 1);
    Delivery one = delivered(worker, first);
    assertThat(one.firstPosition()).isEqualTo(1);
    long last = one.batches().get(0).lastPosition();
    checkpoint(worker, first, last);
    worker.close();

    worker = connect();
    Assignment next = open(worker, tunnelId);
    assertThat(next.checkpointed()).isEqualTo(last);
    credit(worker, next, 1 << 20);
    if (last < ROWS) {
      assertThat(delivered(worker, next).firstPosition()).isEqualTo(last + 1);
    }
    ChannelEnd end = ChannelEnd.decode(worker.awaitPush(Operation.END_OF_CHANNEL).payload());
    assertThat(end).isEqualTo(new ChannelEnd(next.handle(), next.epoch(), ROWS));
    checkpoint(worker, next, ROWS);
    release(worker, next);

    Assignment changes = assigned(worker);
    assertThat(changes.type()).isEqualTo(ChannelType.Stream);
    credit(worker, changes, 1 << 20);
    write(ROWS + 1, ROWS + 1);
    assertThat(delivered(worker, changes).firstPosition()).isEqualTo(ROWS + 1);
  }

  @Test
  void a_worker_is_told_of_an_end_in_time_that_comes_while_it_holds_the_channel() {
    long endMs = System.currentTimeMillis() + 1_500;
    String tunnelId =
        tunnel(
            new Control.CreateTunnel(
                "orders",
                "audit",
                TunnelType.Stream,
                StreamStart.EARLIEST,
                Optional.empty(),
                Optional.of(endMs)));
    Assignment held = open(worker, tunnelId);
    credit(worker, held, 1 << 20);
    Frame told;
    do {
      told = worker.receive().orElseThrow();
      assertThat(told.operation()).isIn(Operation.DELIVER, Operation.END_OF_CHANNEL);
    } while (told.operation() == Operation.DELIVER);
    ChannelEnd end = ChannelEnd.decode(told.payload());
    assertThat(end).isEqualTo(new ChannelEnd(held.handle(), held.epoch(), ROWS));
    checkpoint(worker, held, ROWS);
    release(worker, held);
  }

  @Test
  void nothing_is_delivered_of_a_channel_that_is_given_back_or_held_by_another() {
    String tunnelId = tunnel(TunnelType.Stream);
    Assignment held = open(worker, tunnelId);
    credit(worker, held, 1);
    assertThat(delivered(worker, held).firstPosition()).isEqualTo(1);
    release(worker, held);
    Assignment again = assigned(worker);
    assertThat(again.epoch()).isGreaterThan(held.epoch());
    credit(worker, held, 1 << 20);
    worker.requireOpen();
    assertThat(worker.takePushed()).as("for credit of a former epoch").isEmpty();
    byte[] beyond = new Checkpoint(again.handle(), again.epoch(), ROWS).encode();
    assertThat(worker.refused(Operation.CHECKPOINT, beyond).code())
        .as("nothing is delivered yet")
        .isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    credit(worker, again, 1 << 20);
    assertThat(delivered(worker, again).firstPosition()).isEqualTo(1);
  }
}
