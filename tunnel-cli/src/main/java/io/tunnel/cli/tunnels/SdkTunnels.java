package io.tunnel.cli.tunnels;

import io.tunnel.cli.service.Service;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.checkpoint.ExportCheckpointsRequest;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.EndSessionRequest;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.PauseTunnelRequest;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelResponse;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.util.List;
import java.util.Optional;

/** The tunnels of a real server. */
record SdkTunnels(TunnelClient client) implements Tunnels {

  static Tunnels connect(String endpoint) {
    ClientConfig config = ClientConfig.of(endpoint).withRetryDeadline(Service.RETRY_DEADLINE);
    return new SdkTunnels(new TunnelClient(config));
  }

  @Override
  public TunnelInfo create(CreateTunnelRequest request) {
    return client.createTunnel(request).tunnelInfo();
  }

  @Override
  public List<TunnelInfo> list(Optional<String> table) {
    return client.listTunnel(new ListTunnelRequest(table)).getTunnelInfos();
  }

  @Override
  public DescribeTunnelResponse describe(String table, String tunnel) {
    return client.describeTunnel(new DescribeTunnelRequest(table, tunnel));
  }

  @Override
  public void delete(String table, String tunnel) {
    client.deleteTunnel(new DeleteTunnelRequest(table, tunnel));
  }

  @Override
  public void pause(String table, String tunnel, List<String> channels) {
    client.pauseTunnel(new PauseTunnelRequest(table, tunnel, channels));
  }

  @Override
  public void resume(String table, String tunnel, List<String> channels) {
    client.resumeTunnel(new ResumeTunnelRequest(table, tunnel, channels));
  }

  @Override
  public SeekTunnelResponse seek(SeekTunnelRequest request) {
    return client.seekTunnel(request);
  }

  @Override
  public CheckpointSet export(String table, String tunnel) {
    return client.exportCheckpoints(new ExportCheckpointsRequest(table, tunnel)).checkpoints();
  }

  @Override
  public void endSession(String table, String tunnel, String session) {
    client.endSession(new EndSessionRequest(table, tunnel, session));
  }

  @Override
  public void close() {
    client.close();
  }
}
