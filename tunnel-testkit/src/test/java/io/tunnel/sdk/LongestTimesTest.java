package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.testing.ClientRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who wants to wait for ever may say so by the longest duration that there is. */
class LongestTimesTest {

  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  @AutoClose private final InMemoryTunnelService service = InMemoryTunnelService.start();
  private final ClientConfig patient =
      ClientConfig.of(service.endpoint())
          .withConnectDeadline(FOR_EVER)
          .withRequestDeadline(FOR_EVER)
          .withRetryDeadline(FOR_EVER)
          .withWriteRetryDeadline(FOR_EVER);

  @BeforeEach
  void createTable() {
    service.createTable(
        new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))));
  }

  private static RowChange row(long id) {
    return new RowPutChange(PrimaryKey.builder().add("id", id).build(), List.of());
  }

  @Test
  void a_client_reads_and_writes_and_tries_again() {
    try (TableClient tables = TableClient.connect(patient)) {
      service.refuseNext(ClientRequest.LIST_TABLES, ErrorCode.BUSY);
      assertThat(tables.listTables()).containsExactly("t");
      service.refuseNext(ClientRequest.WRITE, ErrorCode.BUSY);
      assertThat(tables.tryWrite("t", List.of(row(1))).allApplied()).isTrue();
      assertThat(tables.getRow("t", row(1).primaryKey())).isPresent();
    }
  }

  @Test
  void rows_that_linger_for_ever_are_written_when_they_are_flushed() {
    try (TableClient tables = TableClient.connect(patient);
        TableWriter writer =
            tables.openWriter("t", TableWriterConfig.DEFAULTS.withLinger(FOR_EVER))) {
      CompletableFuture<RowResult> outcome = new CompletableFuture<>();
      writer.add(row(1), (row, result) -> outcome.complete(result));
      assertThat(outcome).isNotDone();
      writer.flush();
      assertThat(outcome.join().isApplied()).isTrue();
    }
  }

  @Test
  void a_reader_reads_also_after_an_outage_and_a_poll_returns_what_came()
      throws InterruptedException {
    PartitionReaderConfig config = PartitionReaderConfig.DEFAULTS.withOutageMax(FOR_EVER);
    try (TableClient tables = TableClient.connect(patient);
        PartitionReader reader = new PartitionReader(patient, tables.partitionMap("t"), config)) {
      int partition = tables.partitionMap("t").partitions().get(0).id();
      service.write("t", row(1));
      reader.start(ReadStart.changes(partition, 0));
      assertThat(next(reader, Duration.ofMillis(Long.MAX_VALUE))).containsExactly(1L);
      service.refuseNext(ClientRequest.READ_PARTITION, ErrorCode.BUSY);
      service.loseConnections();
      service.write("t", row(2));
      assertThat(next(reader, FOR_EVER)).containsExactly(2L);
      reader.wakeUp();
      assertThat(reader.poll(FOR_EVER)).isEmpty();
    }
  }

  private static List<Long> next(PartitionReader reader, Duration wait)
      throws InterruptedException {
    PartitionRecords came = reader.poll(wait).orElseThrow();
    List<Long> positions = came.records().stream().map(StreamRecord::position).toList();
    came.release();
    return positions;
  }
}
