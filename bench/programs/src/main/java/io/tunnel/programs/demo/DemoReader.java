package io.tunnel.programs.demo;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The consuming side of the demo: a tunnel and its workers, on threads of their own group. */
final class DemoReader implements AutoCloseable {

  /** What the tunnel is called. */
  static final String TUNNEL = "demo";

  private final ThreadCpu cpu = new ThreadCpu("demo-reader");
  private final String table;
  private final TunnelClient client;
  private final List<TunnelWorker> workers = new ArrayList<>();

  /** Creates the tunnel; nothing is consumed yet. */
  DemoReader(String endpoint, String table, int workerCount, IChannelProcessor processor)
      throws Exception {
    this.table = table;
    this.client = cpu.call(() -> new TunnelClient(endpoint));
    cpu.call(() -> connect(workerCount, processor));
  }

  private Void connect(int workerCount, IChannelProcessor processor) {
    String tunnelId =
        client
            .createTunnel(
                new CreateTunnelRequest(table, TUNNEL, TunnelType.Stream, StreamStart.EARLIEST))
            .getTunnelId();
    for (int i = 0; i < workerCount; i++) {
      TunnelWorkerConfig config = new TunnelWorkerConfig(processor);
      config.setClientTag("demo-" + i);
      workers.add(new TunnelWorker(tunnelId, client, config));
    }
    return null;
  }

  void start() throws Exception {
    cpu.call(
        () -> {
          workers.forEach(TunnelWorker::connectAndWorking);
          return null;
        });
  }

  /** Why a worker works no more; empty while all do. */
  Optional<String> trouble() {
    for (TunnelWorker worker : workers) {
      TunnelWorkerStatus status = worker.status();
      if (status.state() == TunnelWorkerStatus.State.WORKER_HALT) {
        return Optional.of(status.lastError().orElse("a worker stopped for no known reason"));
      }
    }
    return Optional.empty();
  }

  /** Ends the workers gracefully, and so also their callbacks. */
  void stop() {
    cpu.sample();
    workers.forEach(TunnelWorker::shutdown);
    cpu.sample();
  }

  /** Deletes the tunnel. */
  void delete() {
    client.deleteTunnel(new DeleteTunnelRequest(table, TUNNEL));
  }

  ThreadCpu cpu() {
    return cpu;
  }

  @Override
  public void close() {
    try {
      workers.forEach(TunnelWorker::shutdown);
    } finally {
      client.close();
    }
  }
}
