package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.SmallDisk;
import io.tunnel.it.process.Stage;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.processor.StreamRecord;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A server process on a file system of its own that becomes full for real: by what is written to
 * the server, and by another file. Needs root, who may mount.
 */
@Tag("proof-service")
class FullDiskTest {

  private static final int DISK_MIB = 192;
  private static final long OLD_BYTES = 64 << 20;
  private static final int ROW_BYTES = 64 << 10;

  /** Refusals in a row after which the test takes the disk for full. */
  private static final int REFUSALS = 5;

  private static final long RESERVE_BYTES = 24 << 20;
  private static final long SOME_BYTES = 20 << 20;

  private static final Duration LONG = Duration.ofSeconds(60);

  @RegisterExtension final Stage stage = new Stage();

  /** What was acknowledged, and what may or may not have been written. */
  private final Set<Long> acknowledged = new TreeSet<>();

  private final Set<Long> inDoubt = new TreeSet<>();

  private SmallDisk disk;
  private ServerProcess server;
  private TableClient tables;
  private long next = 1;

  private void begin(long freeBytesMin) throws IOException {
    disk = SmallDisk.mount(stage, stage.path("disk"), DISK_MIB);
    Path config =
        Files.writeString(
            stage.path("config"),
            """
            {"log": {"shards": 1, "segmentBytesMax": 4194304, "retentionCheckMs": 100},
             "shard": {"freeBytesMin": %d},
             "table": {"writeBufferBytes": 4194304}}
            """
                .formatted(freeBytesMin));
    server =
        new ServerProcess(
            stage, disk.directory().resolve("data"), List.of("--config", config.toString()));
    start();
  }

  private void start() {
    server.start();
    tables =
        stage.closing(
            TableClient.connect(
                ClientConfig.of(server.endpoint())
                    .withRetryDeadline(Duration.ofSeconds(2))
                    .withWriteRetryDeadline(Duration.ofMillis(200))));
  }

  private void create(String table) {
    var unused =
        tables.createTable(
            new TableMeta(
                table,
                List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
                new TableOptions(Durability.OS)));
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  /** Bytes that no compression makes fewer. */
  private static ColumnValue value(long id) {
    byte[] bytes = new byte[ROW_BYTES];
    new Random(id).nextBytes(bytes);
    return ColumnValue.fromBinary(bytes);
  }

  private RowResult put(String table, long id) {
    RowPutChange row = new RowPutChange(key(id), List.of(new Column("v", value(id))));
    return tables.tryWrite(table, List.of(row)).results().get(0);
  }

  private void write(int rows) {
    for (int i = 0; i < rows; i++) {
      RowResult result = put("orders", next);
      assertThat(result.outcome()).as("row %d: %s", next, result).isEqualTo(Outcome.APPLIED);
      acknowledged.add(next++);
    }
  }

  /** Whether a write is refused for want of room; one that is applied is remembered. */
  private boolean isRefused() {
    RowResult result = put("orders", next);
    switch (result.outcome()) {
      case APPLIED -> acknowledged.add(next);
      case IN_DOUBT -> inDoubt.add(next);
      case REJECTED, NOT_SENT -> {
        assertThat(result.error()).as("%s", result).contains(ErrorCode.BUSY);
        assertThat(result.message()).contains("the server's disk is full");
      }
    }
    next++;
    return result.error().isPresent();
  }

  private void writeUntilRefused() {
    for (int refusals = 0; refusals < REFUSALS; ) {
      refusals = isRefused() ? refusals + 1 : 0;
      assertThat(next * ROW_BYTES).as("bytes written").isLessThan((long) DISK_MIB << 20);
    }
  }

  private boolean isHealth(int code, String status) {
    HttpResponse<String> page = server.get("/health");
    return page.statusCode() == code && page.body().contains("\"" + status + "\"");
  }

  private void requireRowsRead() {
    for (long id : acknowledged) {
      Row row = tables.getRow("orders", key(id)).orElseThrow();
      assertThat(row.value("v")).as("row %d", id).hasValue(value(id));
    }
  }

  private void requireChangesRead() throws InterruptedException {
    Set<Long> seen = new TreeSet<>();
    try (PartitionReader reader =
        new PartitionReader(
            server.client(), tables.partitionMap("orders"), PartitionReaderConfig.DEFAULTS)) {
      reader.start(ReadStart.changes(tables.partitionMap("orders").partitions().get(0).id(), 0));
      while (!seen.containsAll(acknowledged)) {
        PartitionRecords records = reader.poll(LONG).orElseThrow();
        for (StreamRecord record : records.records()) {
          seen.add(record.getPrimaryKey().getPrimaryKeyColumn(0).getValue().asLong());
        }
        records.release();
      }
    }
    assertThat(seen).allMatch(id -> acknowledged.contains(id) || inDoubt.contains(id));
  }

  /**
   * The disk gets no more than that room, also when a compaction that failed has given some back:
   * writes are refused by name, and changes are read.
   */
  private void requireFull(long leftBytes) throws Exception {
    Poll.untilTrue(
        () -> {
          disk.fill(leftBytes);
          return isHealth(503, "DISK_FULL") && isRefused();
        });
    requireChangesRead();
  }

  /** Where the table found no room for what was acknowledged last, rows are not read. */
  private void requireRowsReadOrBusy() {
    try {
      requireRowsRead();
    } catch (RefusedException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
      assertThat(e).hasMessageContaining("the last writes are not in the table");
    }
  }

  /** Two tables, the first of which can make room, on a disk that writes to the second fill. */
  private void fill() {
    create("old");
    create("orders");
    for (long id = 1; id * ROW_BYTES <= OLD_BYTES; id++) {
      assertThat(put("old", id).outcome()).isEqualTo(Outcome.APPLIED);
    }
    write(20);
    writeUntilRefused();
  }

  /** Writes go on when a table was dropped, and all that was acknowledged is there. */
  private void requireWholeWithRoom() throws Exception {
    tables.dropTable("old");
    Poll.until("it is up", () -> isHealth(200, "UP"));
    requireRowsRead();
    write(20);
    server.kill();
    start();
    requireRowsRead();
    requireChangesRead();
  }

  @Test
  void a_full_disk_is_read_through_restarts_and_takes_writes_again_when_a_table_was_dropped()
      throws Exception {
    begin(RESERVE_BYTES);
    fill();
    requireFull(SOME_BYTES);
    requireRowsRead();
    server.kill();
    start();
    requireFull(SOME_BYTES);
    requireRowsRead();
    requireWholeWithRoom();
  }

  @Test
  void without_a_reserve_the_disk_itself_refuses_writes_and_nothing_acknowledged_is_lost()
      throws Exception {
    begin(0);
    disk.fill(disk.freeBytes() - SOME_BYTES);
    fill();
    requireFull(0);
    requireRowsReadOrBusy();
    server.kill();
    disk.clear();
    start();
    requireRowsRead();
    requireWholeWithRoom();
  }
}
