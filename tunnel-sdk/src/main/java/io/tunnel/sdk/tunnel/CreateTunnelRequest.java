package io.tunnel.sdk.tunnel;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import java.util.Objects;

/**
 * Asks for a new tunnel.
 *
 * @param tableName the table that it delivers
 * @param tunnelName 1 to 255 of A-Z a-z 0-9 _ -, the first a letter or _
 * @param tunnelType what it delivers
 * @param streamTunnelConfig where a tunnel of type Stream starts and ends; the others start with
 *     the rows that exist and have no moments
 */
public record CreateTunnelRequest(
    String tableName,
    String tunnelName,
    TunnelType tunnelType,
    StreamTunnelConfig streamTunnelConfig) {

  /** Refuses null. */
  public CreateTunnelRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    Objects.requireNonNull(tunnelType, "tunnelType");
    Objects.requireNonNull(streamTunnelConfig, "streamTunnelConfig");
  }

  /** A tunnel whose stream starts there and never ends. */
  public CreateTunnelRequest(
      String tableName, String tunnelName, TunnelType tunnelType, StreamStart start) {
    this(tableName, tunnelName, tunnelType, StreamTunnelConfig.of(start));
  }

  /** A tunnel whose stream starts with the first change after its creation. */
  public CreateTunnelRequest(String tableName, String tunnelName, TunnelType tunnelType) {
    this(tableName, tunnelName, tunnelType, StreamTunnelConfig.LATEST);
  }

  /** Where its stream starts when no moment is given. */
  public StreamStart start() {
    return streamTunnelConfig.flag();
  }
}
