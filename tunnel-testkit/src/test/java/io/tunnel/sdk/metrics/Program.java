package io.tunnel.sdk.metrics;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.sdk.testing.Waits;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/** Writes three rows and processes them; loaded by a class loader of its own. */
public final class Program {

  private Program() {}

  /** Returns how many changes were processed. */
  public static long run() {
    AtomicLong processed = new AtomicLong();
    try (InMemoryTunnelService service = InMemoryTunnelService.start();
        TableClient tables = TableClient.connect(ClientConfig.of(service.endpoint()));
        TunnelClient tunnels = new TunnelClient(ClientConfig.of(service.endpoint()))) {
      var unused =
          tables.createTable(
              new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))),
              List.of());
      var unusedResult =
          tables.write(
              "t",
              LongStream.range(0, 3)
                  .<RowChange>mapToObj(
                      id ->
                          new RowPutChange(
                              PrimaryKey.builder().add("id", id).build(),
                              List.of(new Column("v", ColumnValue.fromLong(id)))))
                  .toList());
      String tunnelId =
          tunnels
              .createTunnel(
                  new CreateTunnelRequest("t", "n", TunnelType.Stream, StreamTunnelConfig.EARLIEST))
              .getTunnelId();
      TunnelWorker worker =
          new TunnelWorker(tunnelId, tunnels, new TunnelWorkerConfig(new Counting(processed)));
      worker.connectAndWorking();
      Waits.until("all is processed", () -> processed.get() == 3);
      worker.shutdown();
    }
    return processed.get();
  }

  private record Counting(AtomicLong processed) implements IChannelProcessor {
    @Override
    public void process(ProcessRecordsInput input) {
      processed.addAndGet(input.getRecords().size());
    }

    @Override
    public void shutdown() {}
  }
}
