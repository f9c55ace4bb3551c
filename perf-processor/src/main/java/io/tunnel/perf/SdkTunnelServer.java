package io.tunnel.perf;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A real server, through the SDK. */
final class SdkTunnelServer implements TunnelServer {

  private final TunnelClient client;

  SdkTunnelServer(String endpoint) {
    client = new TunnelClient(endpoint);
  }

  @Override
  public List<TunnelInfo> tunnels(Optional<String> table) {
    return client.listTunnel(new ListTunnelRequest(table)).getTunnelInfos();
  }

  @Override
  public DescribeTunnelResponse describe(TunnelInfo tunnel) {
    return client.describeTunnel(
        new DescribeTunnelRequest(tunnel.getTableName(), tunnel.getTunnelName()));
  }

  @Override
  public TunnelInfo createTunnel(String table, String tunnel, StreamStart start) {
    return client
        .createTunnel(new CreateTunnelRequest(table, tunnel, TunnelType.Stream, start))
        .tunnelInfo();
  }

  @Override
  public PerfRun.Workers workers(String tunnelId, int count, Processing processing) {
    List<TunnelWorker> workers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      TunnelWorkerConfig config = new TunnelWorkerConfig();
      config.setClientTag("perf-" + i);
      workers.add(worker(tunnelId, config, processing));
    }
    return new SdkWorkers(workers);
  }

  private TunnelWorker worker(String tunnelId, TunnelWorkerConfig config, Processing processing) {
    if (processing instanceof Processing.PerChannel each) {
      return new TunnelWorker(tunnelId, client, config, each.factory());
    }
    config.setChannelProcessor(((Processing.Shared) processing).processor());
    return new TunnelWorker(tunnelId, client, config);
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
