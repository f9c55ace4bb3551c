package io.tunnel.sdk.tunnel;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import java.util.Objects;

/**
 * Asks for a new tunnel.
 *
 * @param tableName the table to deliver
 * @param tunnelName 1 to 255 characters of A-Z a-z 0-9 _ -, the first a letter or _
 * @param tunnelType whether to deliver rows, changes, or both
 * @param streamTunnelConfig where a tunnel of type Stream starts and ends; tunnels of other types
 *     start with the existing rows
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

  /** A tunnel whose stream starts at {@code start} and never ends. */
  public CreateTunnelRequest(
      String tableName, String tunnelName, TunnelType tunnelType, StreamStart start) {
    this(tableName, tunnelName, tunnelType, StreamTunnelConfig.of(start));
  }

  /** A tunnel whose stream starts with the first change after its creation. */
  public CreateTunnelRequest(String tableName, String tunnelName, TunnelType tunnelType) {
    this(tableName, tunnelName, tunnelType, StreamTunnelConfig.LATEST);
  }

  /** The start of the stream if no moment is set. */
  public StreamStart start() {
    return streamTunnelConfig.flag();
  }
}
