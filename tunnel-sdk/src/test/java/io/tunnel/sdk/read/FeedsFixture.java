package io.tunnel.sdk.read;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.ReadStart;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A reader that knows two nodes of a cluster. */
final class FeedsFixture {

  static final int BYTES_MAX = 64 << 10;
  static final Duration OUTAGE_MAX = Duration.ofSeconds(30);
  static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  static final Endpoint FIRST = new Endpoint("first", 1);
  static final Endpoint SECOND_NODE = new Endpoint("second", 2);

  final FakeNodes nodes = new FakeNodes();
  final Feeds feeds = of(FIRST, SECOND_NODE);

  /** A further reader of {@link #nodes}, which knows these endpoints. */
  Feeds of(Endpoint... known) {
    return new Feeds(
        nodes,
        List.of(known),
        "t",
        new PartitionReaderConfig(BYTES_MAX, 64 * BYTES_MAX, OUTAGE_MAX));
  }

  /** The next received delivery, without waiting. */
  Optional<Received> take() throws InterruptedException {
    return feeds.inbox().take(0);
  }

  /** Begins to read a partition, which the node delivers under {@code handle}. */
  FakeNodes.Line attached(ReadStart start, int handle) {
    feeds.start(start);
    FakeNodes.Line line = nodes.last();
    line.attach(handle);
    return line;
  }

  /** The first connection to a node. */
  FakeNodes.Line line(Endpoint node) {
    return nodes.lines.stream().filter(line -> line.node.equals(node)).findFirst().orElseThrow();
  }

  /** Number of requests to a node to serve a partition. */
  int reads(Endpoint node) {
    return nodes.lines.stream()
        .filter(line -> line.node.equals(node))
        .mapToInt(line -> line.reads.size())
        .sum();
  }
}
