package io.tunnel.sdk;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import java.util.Objects;

/**
 * Asks for a new tunnel.
 *
 * @param tableName the table whose changes it delivers
 * @param tunnelName 1 to 255 of A-Z a-z 0-9 _ -, the first a letter or _
 * @param tunnelType what it delivers
 * @param start where it starts
 */
public record CreateTunnelRequest(
    String tableName, String tunnelName, TunnelType tunnelType, StreamStart start) {

  /** Refuses null. */
  public CreateTunnelRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    Objects.requireNonNull(tunnelType, "tunnelType");
    Objects.requireNonNull(start, "start");
  }

  /** A tunnel that starts with the first change after its creation. */
  public CreateTunnelRequest(String tableName, String tunnelName, TunnelType tunnelType) {
    this(tableName, tunnelName, tunnelType, StreamStart.LATEST);
  }
}
