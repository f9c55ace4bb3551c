package io.tunnel.sdk.tunnel;

import java.util.Objects;
import java.util.Optional;

/**
 * Asks for a list of tunnels.
 *
 * @param table the table of the tunnels; absent for all tables
 */
public record ListTunnelRequest(Optional<String> table) {

  /** Refuses null. */
  public ListTunnelRequest {
    Objects.requireNonNull(table, "table");
  }

  /** The tunnels of a table, or of all tables for null. */
  public ListTunnelRequest(String tableName) {
    this(Optional.ofNullable(tableName));
  }
}
