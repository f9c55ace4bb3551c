package io.tunnel.sdk;

import io.tunnel.sdk.answer.TableAnswers;
import io.tunnel.sdk.read.Feeds;
import io.tunnel.sdk.read.ReadPort;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.List;

/** The SDK's own readers of partitions, over connections that are simulated. */
public final class SimPartitionReaders {

  private SimPartitionReaders() {}

  /** A reader that reads nothing yet; it looks for the service at {@code nodes}. */
  public static PartitionReader over(
      ReadPort port, List<Endpoint> nodes, TableDescription table, PartitionReaderConfig config) {
    return new PartitionReader(
        TableAnswers.uncounted(table), new Feeds(port, nodes, table.meta().name(), config));
  }
}
