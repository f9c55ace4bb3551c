package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.sdk.ExportCheckpointsRequest;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.wire.Control.TableDescription;
import io.tunnel.wire.OperatorControl.CheckpointSet;
import io.tunnel.wire.PartitionControl.FoundPositions;
import java.util.Optional;

/** Asks the service; connects when it is first asked. */
public final class ServiceLookup implements TableLookup {

  private final TunnelOptions options;
  private Optional<TableClient> client = Optional.empty();

  /** Of that table. */
  public ServiceLookup(TunnelOptions options) {
    this.options = options;
  }

  private synchronized TableClient client() {
    if (client.isEmpty()) {
      client = Optional.of(TableClient.connect(options.clientConfig()));
    }
    return client.get();
  }

  @Override
  public TableDescription table() {
    return client().partitionMap(options.table());
  }

  @Override
  public FoundPositions positions(Optional<Long> timeMs) {
    return client().findPositions(options.table(), timeMs);
  }

  @Override
  public CheckpointSet checkpoints(String tunnel) {
    try (TunnelClient tunnels = new TunnelClient(options.clientConfig())) {
      return tunnels
          .exportCheckpoints(new ExportCheckpointsRequest(options.table(), tunnel))
          .checkpoints();
    }
  }

  @Override
  public synchronized void close() {
    client.ifPresent(TableClient::close);
  }
}
