package io.tunnel.cli.cluster;

import io.tunnel.cli.service.Service;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ClusterClient;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.NodeStatus;
import java.util.Optional;

/** The nodes of a real cluster. */
record SdkCluster(ClusterClient client) implements Cluster {

  static Cluster connect(String endpoint) {
    ClientConfig config = ClientConfig.of(endpoint).withRetryDeadline(Service.RETRY_DEADLINE);
    return new SdkCluster(new ClusterClient(config));
  }

  @Override
  public ClusterInfo describe() {
    return client.describeCluster();
  }

  @Override
  public Optional<NodeStatus> status(NodeInfo node) {
    try {
      return Optional.of(client.nodeStatus(node.address()));
    } catch (ConnectionException noAnswer) {
      return Optional.empty();
    }
  }

  @Override
  public void drain(NodeInfo node, boolean isDraining) {
    client.drain(node.address(), isDraining);
  }

  @Override
  public void close() {
    client.close();
  }
}
