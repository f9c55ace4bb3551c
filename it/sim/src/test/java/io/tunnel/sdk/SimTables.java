package io.tunnel.sdk;

import io.tunnel.sdk.transport.ClientPort;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The SDK's own clients of tables in a simulated world, where nobody may wait: each call is the
 * part of a public method before its wait. The futures complete on the client's thread.
 */
public final class SimTables {

  private SimTables() {}

  /** A client that connects on first use. */
  public static TableClient over(ClientConfig config, ClientPort port) {
    return new TableClient(config, () -> port);
  }

  /** {@link TableClient#openWriter(String, TableWriterConfig)}. */
  public static CompletableFuture<TableWriter> openWriter(
      TableClient client, String table, TableWriterConfig config) {
    return client.openingWriter(table, config);
  }

  /** {@link TableClient#openSession}, and the wait of the session's first write to a table. */
  public static CompletableFuture<RowSession> openSession(
      TableClient client, Duration lease, String table) {
    return client
        .sessions
        .opening(lease)
        .thenCompose(session -> session.opening(table).thenApply(engine -> session));
  }

  /** {@link RowSession#close}. */
  public static CompletableFuture<Void> close(RowSession session) {
    return session.closing();
  }
}
