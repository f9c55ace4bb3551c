package io.tunnel.it.recorded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * What a client does in every recorded exchange, and sees: a table of two partitions, rows written
 * and read, a worker that is delivered all of them, a reader without a tunnel. Nothing in it hangs
 * on time.
 */
final class Story {

  private static final String TABLE = "orders";
  private static final int SPLIT = 1_000;
  private static final List<Long> IDS = List.of(1L, 2L, 1_001L, 1_002L);

  /** Longer than any run, so no heartbeat is sent. */
  private static final long LEASE_S = 3_600;

  private static final int SECONDS_MAX = 60;

  private final ClientConfig config;

  private Story(String endpoint) {
    config = ClientConfig.of(endpoint);
  }

  /** Plays against the server at {@code endpoint}, HOST:PORT, which has no table yet. */
  static void play(String endpoint) throws InterruptedException {
    new Story(endpoint).play();
  }

  private void play() throws InterruptedException {
    try (TableClient tables = TableClient.connect(config);
        TunnelClient tunnels = new TunnelClient(config)) {
      TableInfo table =
          tables.createTable(
              CreateTableRequest.builder(TABLE)
                  .key("id", PrimaryKeyType.INTEGER)
                  .splitPoint(SPLIT)
                  .build());
      assertThat(table.partitions()).hasSize(2);
      writeAndRead(tables);
      consume(tunnels);
      readChanges(table);
      tunnels.deleteTunnel(new DeleteTunnelRequest(TABLE, "audit"));
      tables.dropTable(TABLE);
      assertThat(tables.listTables()).isEmpty();
    }
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static long id(PrimaryKey key) {
    return key.getPrimaryKeyColumn(0).getValue().asLong();
  }

  private void writeAndRead(TableClient tables) {
    for (long first : List.of(1L, 1_001L)) {
      List<RowChange> rows = new ArrayList<>();
      for (long id = first; id < first + 2; id++) {
        Column name = new Column("name", ColumnValue.fromString("row " + id));
        rows.add(new RowPutChange(key(id), List.of(name)));
      }
      tables.write(TABLE, rows);
    }
    assertThat(tables.getRow(TABLE, key(2)).orElseThrow().value("name"))
        .hasValue(ColumnValue.fromString("row 2"));
    assertThat(tables.getRow(TABLE, key(3))).isEmpty();
    List<Long> read = new ArrayList<>();
    tables.getRange(TABLE, RangeQuery.ALL).forEach(row -> read.add(id(row.primaryKey())));
    assertThat(read).isEqualTo(IDS);
    assertThat(tables.findPositions(TABLE, Optional.empty()).partitions()).hasSize(2);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> tables.describeTable("nope"))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND));
  }

  private void consume(TunnelClient tunnels) throws InterruptedException {
    String tunnelId =
        tunnels
            .createTunnel(
                new CreateTunnelRequest(TABLE, "audit", TunnelType.Stream, StreamStart.EARLIEST))
            .getTunnelId();
    BlockingQueue<Long> seen = new LinkedBlockingQueue<>();
    TunnelWorkerConfig worker =
        new TunnelWorkerConfig(
            input -> input.getRecords().forEach(each -> seen.add(id(each.getPrimaryKey()))));
    worker.setClientTag("recorded");
    worker.setHeartbeatTimeoutInSec(LEASE_S);
    worker.setHeartbeatIntervalInSec(LEASE_S / 3);
    List<Long> all = new ArrayList<>();
    try (TunnelWorker working = new TunnelWorker(tunnelId, tunnels, worker)) {
      working.connectAndWorking();
      while (all.size() < IDS.size()) {
        Long id = seen.poll(SECONDS_MAX, TimeUnit.SECONDS);
        assertThat(id).as("a record behind %s", all).isNotNull();
        all.add(id);
      }
    } // Checkpoints.
    assertThat(all).containsExactlyInAnyOrderElementsOf(IDS);
    DescribeTunnelRequest audit = new DescribeTunnelRequest(TABLE, "audit");
    assertThat(tunnels.describeTunnel(audit).getChannelInfos()).hasSize(2);
    assertThat(tunnels.describeTunnel(audit).lagRows()).isZero();
  }

  private void readChanges(TableInfo table) throws InterruptedException {
    int partition = table.partitions().get(0).id();
    List<Long> read = new ArrayList<>();
    try (PartitionReader reader =
        new PartitionReader(config, table, PartitionReaderConfig.DEFAULTS)) {
      reader.start(ReadStart.changes(partition, 0));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
      while (read.size() < 2 && System.nanoTime() < deadline) {
        Optional<PartitionRecords> polled = reader.poll(Duration.ofSeconds(1));
        polled.ifPresent(records -> take(records, read));
      }
      reader.stop(partition);
    }
    assertThat(read).containsExactly(1L, 2L);
  }

  private static void take(PartitionRecords records, List<Long> read) {
    for (StreamRecord record : records.records()) {
      read.add(id(record.getPrimaryKey()));
    }
    records.release();
  }
}
