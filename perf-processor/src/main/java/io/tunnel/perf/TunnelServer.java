package io.tunnel.perf;

import io.tunnel.model.StreamStart;
import io.tunnel.sdk.IChannelProcessor;
import io.tunnel.sdk.TunnelInfo;
import java.util.List;

/** What a run needs of a server; in production the SDK's client, in tests a fake. */
interface TunnelServer extends AutoCloseable {

  /** The tunnels of a table; of all tables when it is null. */
  List<TunnelInfo> tunnels(String table);

  /** Creates a tunnel of changes and returns its id. */
  String createTunnel(String table, String tunnel, StreamStart start);

  /** Workers that share a processor, not yet started. */
  PerfRun.Workers workers(String tunnelId, int count, IChannelProcessor processor);

  @Override
  void close();
}
