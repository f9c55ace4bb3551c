package io.tunnel.sdk.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.TableInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What workers and readers see when another node leads a partition. */
class ChangedLeaderTest {

  private static final int ROUNDS = 5;
  private static final int ROWS = 20;

  @AutoClose private final InMemoryTunnelService service = InMemoryTunnelService.start();
  @AutoClose private final TableClient tables = TableClient.connect(service.endpoint());
  @AutoClose private final TunnelClient tunnels = new TunnelClient(service.endpoint());
  private final List<Long> seen = new CopyOnWriteArrayList<>();
  private int partition;

  @BeforeEach
  void createTable() {
    service.createTable(
        new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))));
    partition = tables.partitionMap("t").partitions().get(0).id();
  }

  private void write(int round) {
    for (long id = (long) round * ROWS; id < (round + 1L) * ROWS; id++) {
      service.write("t", new RowPutChange(PrimaryKey.builder().add("id", id).build(), List.of()));
    }
  }

  private void see(StreamRecord record) {
    seen.add(record.getPrimaryKey().getPrimaryKeyColumn(0).getValue().asLong());
  }

  /** Waits until who is delivered to has asked again, which it must. */
  private void changeLeader(ClientRequest askedAgain) {
    service.delay(askedAgain, Duration.ofSeconds(1));
    service.changeLeader("t", partition);
    service.awaitDelayed(1);
    service.delay(askedAgain, Duration.ZERO);
    service.advance(Duration.ofSeconds(1));
  }

  private static List<Long> all() {
    return LongStream.range(0, ROUNDS * ROWS).boxed().toList();
  }

  @Test
  void a_worker_keeps_its_channel_and_is_given_each_change_once() {
    String tunnelId = service.createTunnel("t", "all", TunnelType.Stream);
    TunnelWorkerConfig config =
        new TunnelWorkerConfig(input -> input.getRecords().forEach(this::see));
    try (TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, config)) {
      worker.connectAndWorking();
      service.awaitAssigned("t", "all", 1);
      long epoch = service.channels("t", "all").get(0).epoch();
      for (int round = 0; round < ROUNDS; round++) {
        write(round);
        changeLeader(ClientRequest.ATTACH);
      }
      service.await("all rows", () -> seen.size() >= ROUNDS * ROWS);
      assertThat(service.channels("t", "all").get(0).epoch()).isEqualTo(epoch);
      assertThat(worker.status().counters().fenced()).isZero();
    }
    assertThat(seen).isEqualTo(all());
  }

  @Test
  void a_reader_goes_on_behind_what_it_was_delivered() throws InterruptedException {
    TableInfo table = tables.partitionMap("t");
    ClientConfig client = ClientConfig.of(service.endpoint());
    try (PartitionReader reader =
        new PartitionReader(client, table, PartitionReaderConfig.DEFAULTS)) {
      reader.start(ReadStart.changes(partition, 0));
      for (int round = 0; round < ROUNDS; round++) {
        write(round);
        while (seen.size() < (round + 1) * ROWS) {
          Optional<PartitionRecords> records = reader.poll(Duration.ofSeconds(20));
          assertThat(records).isPresent();
          records.get().records().forEach(this::see);
          records.get().release();
        }
        changeLeader(ClientRequest.READ_PARTITION);
      }
    }
    assertThat(seen).isEqualTo(all());
  }

  @Test
  void a_partition_that_is_none_of_the_table_has_no_leader() {
    assertThatThrownBy(() -> service.changeLeader("t", partition + 1))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.WRONG_PARTITION));
  }
}
