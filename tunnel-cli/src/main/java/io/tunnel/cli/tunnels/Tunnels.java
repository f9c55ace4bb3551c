package io.tunnel.cli.tunnels;

import io.tunnel.cli.service.Service;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelResponse;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.util.List;
import java.util.Optional;

/** The tunnels of a server. Every method may throw {@link io.tunnel.model.RefusedException}. */
public interface Tunnels extends Service {

  TunnelInfo create(CreateTunnelRequest request);

  /** Those of one table, or all. */
  List<TunnelInfo> list(Optional<String> table);

  DescribeTunnelResponse describe(String table, String tunnel);

  void delete(String table, String tunnel);

  /** No channels means the tunnel as a whole. */
  void pause(String table, String tunnel, List<String> channels);

  /** No channels means the tunnel as a whole. */
  void resume(String table, String tunnel, List<String> channels);

  SeekTunnelResponse seek(SeekTunnelRequest request);

  CheckpointSet export(String table, String tunnel);

  void endSession(String table, String tunnel, String session);
}
