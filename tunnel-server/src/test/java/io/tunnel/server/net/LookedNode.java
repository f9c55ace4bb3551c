package io.tunnel.server.net;

import io.tunnel.server.catalog.NodeSeals;
import io.tunnel.server.changes.FakeLooks;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.server.partition.Shard;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** A server on a loopback socket that answers looks, and may ask clients for keys. */
public final class LookedNode implements Closeable {

  private final TestNode node;

  /** A node named {@code name}, whose clients authenticate if {@code isClosed}. */
  public LookedNode(Path directory, String name, FakeLooks looks, boolean isClosed)
      throws IOException {
    node = isClosed ? TestNode.gated(directory, new TestGate().gate) : new TestNode(directory);
    node.view.answersLooks(name, looks);
  }

  /** The seals of the node's cluster. */
  public NodeSeals seals() {
    return new NodeSeals(node.catalog);
  }

  /** HOST:PORT of the node. */
  public String address() {
    return node.address().getHostString() + ":" + node.address().getPort();
  }

  /** The clock of the node. */
  public Shard.Clock clock() {
    return node.clock;
  }

  @Override
  public void close() throws IOException {
    node.close();
  }
}
