package io.tunnel.perf;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.CreateTunnelRequest;
import io.tunnel.sdk.IChannelProcessor;
import io.tunnel.sdk.ListTunnelRequest;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelInfo;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus;
import java.util.ArrayList;
import java.util.List;

/** A real server, through the SDK. */
final class SdkTunnelServer implements TunnelServer {

  private final TunnelClient client;

  SdkTunnelServer(String endpoint) {
    client = new TunnelClient(endpoint);
  }

  @Override
  public List<TunnelInfo> tunnels(String table) {
    return client.listTunnel(new ListTunnelRequest(table)).getTunnelInfos();
  }

  @Override
  public String createTunnel(String table, String tunnel, StreamStart start) {
    return client
        .createTunnel(new CreateTunnelRequest(table, tunnel, TunnelType.Stream, start))
        .getTunnelId();
  }

  @Override
  public PerfRun.Workers workers(String tunnelId, int count, IChannelProcessor processor) {
    List<TunnelWorker> workers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      TunnelWorkerConfig config = new TunnelWorkerConfig(processor);
      config.setClientTag("perf-" + i);
      workers.add(new TunnelWorker(tunnelId, client, config));
    }
    return new SdkWorkers(workers);
  }

  @Override
  public void close() {
    client.close();
  }

  private record SdkWorkers(List<TunnelWorker> workers) implements PerfRun.Workers {
    @Override
    public void start() {
      workers.forEach(TunnelWorker::connectAndWorking);
    }

    @Override
    public void shutdown() {
      workers.forEach(TunnelWorker::shutdown);
    }

    @Override
    public List<TunnelWorkerStatus> status() {
      return workers.stream().map(TunnelWorker::status).toList();
    }
  }
}
