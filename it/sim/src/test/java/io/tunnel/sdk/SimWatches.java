package io.tunnel.sdk;

import io.tunnel.sdk.answer.TableAnswers;
import io.tunnel.sdk.read.FeedThread;
import io.tunnel.sdk.read.Feeds;
import io.tunnel.sdk.read.ReadPort;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.List;
import java.util.Optional;

/** The SDK's own watches, over connections that are simulated. */
public final class SimWatches {

  private SimWatches() {}

  /** A watch that begins with rows, or behind a position; it looks for the service at the nodes. */
  public static Watch over(
      ReadPort port,
      List<Endpoint> nodes,
      TableDescription table,
      KeyTerms terms,
      WatchConfig how) {
    PartitionReaderConfig reader =
        PartitionReaderConfig.DEFAULTS
            .withPartitionBytesMax(how.partitionBytesMax())
            .withOutageMax(how.outageMax());
    Feeds feeds =
        new Feeds(FeedThread.own(port), nodes, table.meta().name(), reader, Optional.of(terms));
    return Watch.begin(
        TableAnswers.uncounted(table),
        feeds,
        terms,
        how,
        () -> {
          throw new IllegalStateException("a simulated watch begins with rows or a position");
        },
        () -> {});
  }
}
