package io.tunnel.flink.source.reader;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.model.ChannelType;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.checkpoint.ExportCheckpointsRequest;
import io.tunnel.sdk.checkpoint.ImportCheckpointsRequest;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Stores reports as checkpoints of a tunnel of the table. */
final class TunnelReports implements CheckpointReports.Target {

  private final TunnelOptions options;
  private final String tunnel;
  private final TunnelClient client;

  TunnelReports(TunnelOptions options, String tunnel) {
    this.options = options;
    this.tunnel = tunnel;
    this.client = new TunnelClient(options.clientConfig());
  }

  /** Skips positions of channels that the tunnel does not have. */
  @Override
  public void report(List<ChannelPosition> positions) {
    CheckpointSet there =
        client
            .exportCheckpoints(new ExportCheckpointsRequest(options.table(), tunnel))
            .checkpoints();
    Set<Integer> known =
        there.channels().stream()
            .filter(channel -> channel.type() == ChannelType.Stream)
            .map(ChannelPosition::partition)
            .collect(Collectors.toSet());
    List<ChannelPosition> told =
        positions.stream().filter(channel -> known.contains(channel.partition())).toList();
    if (!told.isEmpty()) {
      var unused =
          client.importCheckpoints(
              new ImportCheckpointsRequest(
                  options.table(),
                  tunnel,
                  new CheckpointSet(there.tableId(), options.table(), tunnel, told),
                  false));
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
