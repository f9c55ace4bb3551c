package io.tunnel.cli;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.CreateTunnelRequest;
import io.tunnel.sdk.DeleteTunnelRequest;
import io.tunnel.sdk.DescribeTunnelRequest;
import io.tunnel.sdk.DescribeTunnelResponse;
import io.tunnel.sdk.ListTunnelRequest;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelInfo;
import java.util.List;
import java.util.Optional;

/** The tunnels of a real server. */
record SdkTunnels(TunnelClient client) implements Tunnels {

  static Tunnels connect(String endpoint) {
    ClientConfig config = ClientConfig.of(endpoint).withRetryDeadline(SdkTables.RETRY_DEADLINE);
    return new SdkTunnels(new TunnelClient(config));
  }

  @Override
  public TunnelInfo create(String table, String tunnel, StreamStart start) {
    return client
        .createTunnel(new CreateTunnelRequest(table, tunnel, TunnelType.Stream, start))
        .getTunnelInfo();
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
  public void close() {
    client.close();
  }
}
