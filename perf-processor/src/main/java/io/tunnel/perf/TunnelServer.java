package io.tunnel.perf;

import io.tunnel.model.StreamStart;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.IChannelProcessorFactory;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.util.List;
import java.util.Optional;

/** What a run needs of a server; in production the SDK's client, in tests a fake. */
interface TunnelServer extends AutoCloseable {

  /** The tunnels of a table, or of all tables. */
  List<TunnelInfo> tunnels(Optional<String> table);

  /** A tunnel and its channels now. */
  DescribeTunnelResponse describe(TunnelInfo tunnel);

  /** Creates a tunnel of changes. */
  TunnelInfo createTunnel(String table, String tunnel, StreamStart start);

  /** Workers, not yet started. */
  PerfRun.Workers workers(String tunnelId, int count, Processing processing);

  /** What workers give the changes to. */
  sealed interface Processing {

    /** One processor for all channels; the worker checkpoints automatically. */
    record Shared(IChannelProcessor processor) implements Processing {}

    /** A processor for each channel; the processor checkpoints its own counts. */
    record PerChannel(IChannelProcessorFactory factory) implements Processing {}
  }

  @Override
  void close();
}
