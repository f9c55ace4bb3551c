package io.tunnel.flink.source.reader;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.sdk.ExportCheckpointsRequest;
import io.tunnel.sdk.ImportCheckpointsRequest;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.wire.OperatorControl.ChannelPosition;
import io.tunnel.wire.OperatorControl.CheckpointSet;
import java.util.List;

/** The checkpoints of a tunnel of the table that is read. */
final class TunnelReports implements CheckpointReports.Target {

  private final TunnelOptions options;
  private final String tunnel;
  private final TunnelClient client;

  TunnelReports(TunnelOptions options, String tunnel) {
    this.options = options;
    this.tunnel = tunnel;
    this.client = new TunnelClient(options.clientConfig());
  }

  @Override
  public void report(List<ChannelPosition> positions) {
    int tableId =
        client
            .exportCheckpoints(new ExportCheckpointsRequest(options.table(), tunnel))
            .checkpoints()
            .tableId();
    var unused =
        client.importCheckpoints(
            new ImportCheckpointsRequest(
                options.table(),
                tunnel,
                new CheckpointSet(tableId, options.table(), tunnel, positions),
                false));
  }

  @Override
  public void close() {
    client.close();
  }
}
