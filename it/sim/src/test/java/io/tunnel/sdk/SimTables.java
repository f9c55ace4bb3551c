package io.tunnel.sdk;

import io.tunnel.sdk.transport.ClientPort;
import java.util.concurrent.CompletableFuture;

/** The SDK's own clients of tables in a simulated world, where nobody may wait. */
public final class SimTables {

  private SimTables() {}

  /** A client that connects on first use. */
  public static TableClient over(ClientConfig config, ClientPort port) {
    return new TableClient(config, () -> port);
  }

  /** Opens a writer; completes on the client's thread. */
  public static CompletableFuture<TableWriter> openWriter(
      TableClient client, String table, TableWriterConfig config) {
    return client.openingWriter(table, config);
  }
}
