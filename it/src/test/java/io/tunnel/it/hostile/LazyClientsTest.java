package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.Stage;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers that hold channels and do not do what workers do. */
@Tag("proof-hostile")
class LazyClientsTest {

  private static final int PARTITIONS = 4;

  /** More than the buffers of a connection on both ends take together. */
  private static final int ROWS_PER_PARTITION = 300;

  private static final int VALUE_BYTES = 100 * 1024;
  private static final int EVERYTHING = 1 << 30;
  private static final long LEASE_MS = 2_000;

  @RegisterExtension final Stage stage = new Stage();

  private CalmServer calm;
  private TunnelClient tunnels;
  private String tunnelId;
  private RawClient lazy;
  private String sessionId;

  @BeforeEach
  void begin() {
    calm = new CalmServer(stage);
    TableClient tables = stage.tables(calm.server());
    tunnels = stage.tunnels(calm.server());
    TestTable table = new TestTable("orders", PARTITIONS);
    var unused = table.create(tables);
    tunnelId = table.createTunnel(tunnels, "audit");
    write(tables);
    lazy = stage.closing(RawClient.greeted(calm.server()));
    sessionId =
        lazy.request(
                Operation.OPEN_SESSION,
                new SessionControl.OpenSession(tunnelId, "lazy", LEASE_MS, 0),
                SessionControl.SessionOpened.class)
            .sessionId();
  }

  @AfterEach
  void nobody_else_has_noticed() {
    calm.requireHealthy();
    calm.requireUndisturbed();
  }

  private static void write(TableClient tables) {
    byte[] value = new byte[VALUE_BYTES];
    for (int row = 0; row < ROWS_PER_PARTITION; row++) {
      List<RowChange> rows = new ArrayList<>();
      for (long partition = 0; partition < PARTITIONS; partition++) {
        rows.add(
            new RowPutChange(
                TestTable.key(partition * TestTable.HASHES_PER_PARTITION, "row" + row),
                List.of(new Column("value", ColumnValue.fromBinary(value)))));
      }
      tables.write("orders", rows);
    }
  }

  private byte[] heartbeat() {
    return RawClient.bytesOf(
        Operation.HEARTBEAT.code(),
        FrameKind.REQUEST,
        7,
        Json.encode(new SessionControl.SessionId(sessionId)));
  }

  private List<Assignment> takeAssignments() {
    List<Assignment> held = new ArrayList<>();
    while (held.size() < PARTITIONS) {
      held.add(Json.decode(lazy.awaitPush(Operation.ASSIGN).payload(), Assignment.class));
    }
    return held;
  }

  @Test
  void who_never_gives_credit_is_sent_nothing_and_keeps_its_channels_by_its_heartbeats() {
    assertThat(takeAssignments()).hasSize(PARTITIONS);
    for (int i = 0; i < 20; i++) {
      calm.requireHealthy();
      var unused =
          lazy.request(Operation.HEARTBEAT, Json.encode(new SessionControl.SessionId(sessionId)));
    }
    assertThat(lazy.takePushed()).extracting(Frame::operation).doesNotContain(Operation.DELIVER);
    assertThat(channels())
        .allSatisfy(
            channel -> {
              assertThat(channel.clientTag()).contains("lazy");
              assertThat(channel.delivered()).isZero();
            });
  }

  private List<ChannelInfo> channels() {
    return tunnels.describeTunnel(new DescribeTunnelRequest("orders", "audit")).getChannelInfos();
  }

  @Test
  void who_heartbeats_but_never_reads_loses_its_channels_when_its_lease_ends() {
    List<Assignment> all = takeAssignments();
    // All of them first: the answer to the next one would be read, and what was delivered before
    // it.
    all.forEach(held -> assertThat(lazy.deliveries(held)).isPositive());
    all.forEach(held -> lazy.credit(held, EVERYTHING));
    Counter counter = new Counter(new AtomicInteger());
    TunnelWorker worker =
        new TunnelWorker(
            tunnelId,
            tunnels,
            TunnelWorkerConfig.builder().processor(counter).clientTag("keen").build());
    stage.closes(worker::shutdown);
    worker.connectAndWorking();
    Poll.until(
        "the client that reads consumes all changes",
        () -> {
          lazy.send(heartbeat());
          return counter.rows().get() >= PARTITIONS * ROWS_PER_PARTITION;
        });
    assertThat(channels()).allSatisfy(each -> assertThat(each.clientTag()).contains("keen"));
  }

  private record Counter(AtomicInteger rows) implements IChannelProcessor {

    @Override
    public void process(ProcessRecordsInput input) {
      rows.addAndGet(input.getRecords().size());
    }

    @Override
    public void shutdown() {}
  }
}
