package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.sdk.testing.Waits;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Workers of one process share threads and buffers: 100 workers with 400 channels. */
class ManyWorkersTest {

  private static final int WORKERS = 100;
  private static final int CHANNELS = 400;

  /** Two groups of at most 8 loops each, and processors; a loop for each worker would be 100. */
  private static final int LOOPS_MAX = 2 * 8;

  private static final int PROCESSOR_THREADS_MAX = 64;
  private static final long DIRECT_BYTES_MAX = 32 << 20;

  private final AtomicInteger processed = new AtomicInteger();
  private final IChannelProcessor processor =
      new IChannelProcessor() {
        @Override
        public void process(ProcessRecordsInput input) {
          processed.addAndGet(input.getRecords().size());
        }

        @Override
        public void shutdown() {}
      };

  private static List<Thread> threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(name))
        .toList();
  }

  @Test
  void they_need_a_bounded_number_of_threads_and_bytes_and_leave_no_loop() {
    int before = threads("tunnel-sdk-").size();
    long directBefore = PlatformDependent.usedDirectMemory();
    List<TunnelWorker> workers = new ArrayList<>();
    try (InMemoryTunnelService service = InMemoryTunnelService.start();
        TableClient tables = TableClient.connect(service.endpoint());
        TunnelClient tunnels = new TunnelClient(service.endpoint())) {
      CreateTableRequest.Builder table =
          CreateTableRequest.builder("t").key("id", PrimaryKeyType.INTEGER);
      for (int i = 1; i < CHANNELS; i++) {
        table.splitPoint(i);
      }
      tables.createTable(table.build());
      tunnels.createTunnel(new CreateTunnelRequest("t", "all", TunnelType.Stream));
      for (int i = 0; i < WORKERS; i++) {
        TunnelWorker worker =
            TunnelWorker.of("t", "all", tunnels, new TunnelWorkerConfig(processor));
        worker.connectAndWorking();
        workers.add(worker);
      }
      // The service shares the channels evenly: each worker has four of them in the end.
      Waits.until(
          "channels for all",
          () -> workers.stream().allMatch(worker -> worker.status().channels().size() == 4));
      try (TableWriter writer = tables.openWriter("t")) {
        for (int i = 0; i < CHANNELS; i++) {
          var unused = writer.add(row(i));
        }
      }
      Waits.until("all rows", () -> processed.get() == CHANNELS);
      assertThat(threads("tunnel-sdk-"))
          .hasSizeLessThanOrEqualTo(before + LOOPS_MAX)
          .allMatch(Thread::isDaemon);
      assertThat(threads("tunnel-processor-"))
          .hasSizeLessThan(PROCESSOR_THREADS_MAX)
          .allMatch(Thread::isDaemon);
      assertThat(PlatformDependent.usedDirectMemory() - directBefore).isLessThan(DIRECT_BYTES_MAX);
      workers.parallelStream().forEach(TunnelWorker::shutdown);
    }
    Waits.until("the end of the loops", () -> threads("tunnel-sdk-").size() <= before);
  }

  private static RowPutChange row(int id) {
    return new RowPutChange(
        PrimaryKey.builder().add("id", id).build(),
        List.of(new Column("v", ColumnValue.fromLong(id))));
  }
}
