package io.tunnel.sdk.tunnel;

import java.util.Objects;
import java.util.Optional;

/**
 * Asks for the tunnels there are.
 *
 * @param table only those of this table; absent for all
 */
public record ListTunnelRequest(Optional<String> table) {

  /** Refuses null. */
  public ListTunnelRequest {
    Objects.requireNonNull(table, "table");
  }

  /** The tunnels of a table, or of all when it is null. */
  public ListTunnelRequest(String tableName) {
    this(Optional.ofNullable(tableName));
  }
}
