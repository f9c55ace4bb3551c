package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.ChannelProgress;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.tunnel.ChannelInfo;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A processor that does not come back holds up its own channel and nothing else. */
@Tag("proof-service")
class SlowProcessorTest {

  private static final int PARTITIONS = 4;
  private static final int ROWS_PER_PARTITION = 10_000;
  private static final int VALUE_BYTES = 1_000;
  private static final int CREDIT_BYTES = 256 * 1024;

  /** One delivery of the server; credit may be exceeded by it. */
  private static final int DELIVERY_BYTES_MAX = 256 * 1024 + 20;

  @RegisterExtension final Stage stage = new Stage();

  /** Stands still on one partition until it is let go. */
  private static final class Stuck implements IChannelProcessor {
    private final String partition;
    private final CountDownLatch isStuck = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger others = new AtomicInteger();
    private final AtomicInteger own = new AtomicInteger();

    Stuck(int partition) {
      this.partition = "" + partition;
    }

    @Override
    public void process(ProcessRecordsInput input) {
      if (!input.getPartitionId().equals(partition)) {
        others.addAndGet(input.getRecords().size());
        return;
      }
      isStuck.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
      own.addAndGet(input.getRecords().size());
    }

    @Override
    public void shutdown() {
      goOn.countDown();
    }
  }

  @Test
  void its_channel_is_delivered_no_more_than_its_credit_while_others_go_on() throws Exception {
    ServerProcess server = stage.server();
    TableClient tables = stage.tables(server);
    TestTable table = new TestTable("orders", PARTITIONS);
    int slow = table.create(tables).partitions().get(1).id();
    TunnelClient tunnels = stage.tunnels(server);
    String tunnelId = table.createTunnel(tunnels, "audit");
    Stuck processor = new Stuck(slow);
    TunnelWorkerConfig config =
        TunnelWorkerConfig.builder()
            .processor(processor)
            .channelCreditBytes(CREDIT_BYTES)
            .checkpointIntervalInMillis(50)
            .heartbeatTimeoutInSec(3)
            .heartbeatIntervalInSec(1)
            .build();
    TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, config);
    stage.closes(worker::shutdown);
    worker.connectAndWorking();

    write(tables, "x".repeat(VALUE_BYTES));
    processor.isStuck.await();
    Poll.until(
        "the other partitions are consumed",
        () -> processor.others.get() == (PARTITIONS - 1) * ROWS_PER_PARTITION);

    Channels channels = new Channels(tunnels, "orders", "audit");
    Poll.until(
        "the others' checkpoints",
        () ->
            channels.now().stream()
                .filter(channel -> channel.partition() != slow)
                .allMatch(channel -> channel.lagRows() == 0));
    ChannelInfo stuck =
        channels.now().stream().filter(c -> c.partition() == slow).findFirst().orElseThrow();
    assertThat(stuck.checkpointed()).isZero();
    assertThat(stuck.delivered() * VALUE_BYTES)
        .isPositive()
        .isLessThanOrEqualTo(CREDIT_BYTES + DELIVERY_BYTES_MAX);
    assertThat(stuck.committed()).isEqualTo(ROWS_PER_PARTITION);
    assertThat(worker.status().channels())
        .extracting(ChannelProgress::bufferedBytes)
        .allMatch(bytes -> bytes <= CREDIT_BYTES + DELIVERY_BYTES_MAX);

    processor.goOn.countDown();
    Poll.until("the rest", () -> processor.own.get() == ROWS_PER_PARTITION);
    assertThat(worker.status().counters().sessions()).isEqualTo(1);
    assertThat(worker.status().lastError()).isEmpty();
  }

  private static void write(TableClient tables, String text) {
    AtomicInteger applied = new AtomicInteger();
    try (TableWriter writer = tables.openWriter("orders", TableWriterConfig.DEFAULTS)) {
      for (int i = 0; i < ROWS_PER_PARTITION * PARTITIONS; i++) {
        RowPutChange row =
            new RowPutChange(
                TestTable.key(i % (TestTable.HASHES_PER_PARTITION * PARTITIONS), "a"),
                List.of(new Column("text", ColumnValue.fromString(text))));
        writer.add(
            row,
            (r, result) -> {
              if (result.outcome() == Outcome.APPLIED) {
                applied.incrementAndGet();
              }
            });
      }
    }
    assertThat(applied).hasValue(ROWS_PER_PARTITION * PARTITIONS);
  }
}
