package io.tunnel.cli.cluster;

import io.tunnel.cli.service.Service;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ClusterClient;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.wire.ClusterControl.ClusterDescription;
import io.tunnel.wire.ClusterControl.NodeDescription;
import io.tunnel.wire.ClusterControl.NodeStatus;
import java.util.Optional;

/** The nodes of a real cluster. */
record SdkCluster(ClusterClient client) implements Cluster {

  static Cluster connect(String endpoint) {
    ClientConfig config = ClientConfig.of(endpoint).withRetryDeadline(Service.RETRY_DEADLINE);
    return new SdkCluster(new ClusterClient(config));
  }

  @Override
  public ClusterDescription describe() {
    return client.describeCluster();
  }

  @Override
  public Optional<NodeStatus> status(NodeDescription node) {
    try {
      return Optional.of(client.nodeStatus(node.address()));
    } catch (ConnectionException noAnswer) {
      return Optional.empty();
    }
  }

  @Override
  public void drain(NodeDescription node, boolean isDraining) {
    client.drain(node.address(), isDraining);
  }

  @Override
  public void close() {
    client.close();
  }
}
