package io.tunnel.cli;

import io.tunnel.model.StreamStart;
import io.tunnel.sdk.DescribeTunnelResponse;
import io.tunnel.sdk.TunnelInfo;
import java.util.List;
import java.util.Optional;

/** The tunnels of a server. Every method may throw {@link io.tunnel.model.RefusedException}. */
interface Tunnels extends AutoCloseable {

  TunnelInfo create(String table, String tunnel, StreamStart start);

  /** Those of one table, or all. */
  List<TunnelInfo> list(Optional<String> table);

  DescribeTunnelResponse describe(String table, String tunnel);

  void delete(String table, String tunnel);

  @Override
  void close();

  /** Reaches the server at an endpoint. */
  @FunctionalInterface
  interface Connector {
    Tunnels connect(String endpoint);
  }
}
