package io.tunnel.programs.demo;

import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.stress.LoadPlan;
import io.tunnel.stress.LoadRun;
import io.tunnel.stress.SystemClock;
import io.tunnel.stress.WriterSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The load of a demo that runs on after its proof, for people who look at the server: rows at a
 * steady rate, and workers that take the changes of the demo's tunnel. The load remembers no rows,
 * so memory does not grow.
 */
final class EndlessDemo implements AutoCloseable {

  private static final long ROWS_PER_SECOND = 2_000;

  private final TableClient tables;
  private final TunnelClient tunnels;
  private final TableWriter writer;
  private final List<TunnelWorker> workers = new ArrayList<>();
  private final LoadRun run;

  /** Takes every change and does nothing. */
  private record Taker() implements IChannelProcessor {
    @Override
    public void process(ProcessRecordsInput input) {}

    @Override
    public void shutdown() {}
  }

  /** Starts to write to the demo's table, and to consume its tunnel. */
  EndlessDemo(String endpoint, DemoPlan plan, DemoLoad load) {
    tables = TableClient.connect(endpoint);
    tunnels = new TunnelClient(endpoint);
    writer = tables.openWriter(plan.table(), TableWriterConfig.DEFAULTS);
    String tunnelId =
        tunnels
            .describeTunnel(new DescribeTunnelRequest(plan.table(), DemoReader.TUNNEL))
            .getTunnelInfo()
            .getTunnelId();
    for (int i = 0; i < plan.workers(); i++) {
      TunnelWorkerConfig config = new TunnelWorkerConfig(new Taker());
      config.setClientTag("demo-" + i);
      workers.add(new TunnelWorker(tunnelId, tunnels, config));
    }
    workers.forEach(TunnelWorker::connectAndWorking);
    LoadPlan rows =
        new LoadPlan(
            load.sources(),
            OptionalLong.empty(),
            Optional.empty(),
            OptionalLong.of(ROWS_PER_SECOND));
    run = new LoadRun(new WriterSink(writer), rows, new SystemClock(), (row, result, now) -> {});
    run.start(task -> new Thread(task, "endless-demo"));
  }

  /** Returns when the rows have ended, which only a failure explains. */
  void await(long lookMs) throws InterruptedException {
    while (!run.awaitSenders(lookMs)) {
      // Looks again.
    }
    run.requireNoFailure();
  }

  @Override
  public void close() {
    run.stop();
    workers.forEach(TunnelWorker::shutdown);
    writer.close();
    tunnels.close();
    tables.close();
  }
}
