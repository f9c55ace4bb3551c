package io.tunnel.sdk;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.wire.Control;

/**
 * What does not change about a tunnel.
 *
 * @param tunnelId never used again for another tunnel
 * @param tunnelName its name, unique among the tunnels of its table
 * @param tableName its table
 * @param tunnelType what it delivers
 * @param streamTunnelConfig where its stream started, and where it ends
 * @param createdMs when it was created, in milliseconds since 1970
 */
public record TunnelInfo(
    String tunnelId,
    String tunnelName,
    String tableName,
    TunnelType tunnelType,
    StreamTunnelConfig streamTunnelConfig,
    long createdMs) {

  /** A tunnel whose stream has no moments. */
  public TunnelInfo(
      String tunnelId,
      String tunnelName,
      String tableName,
      TunnelType tunnelType,
      StreamStart start,
      long createdMs) {
    this(tunnelId, tunnelName, tableName, tunnelType, StreamTunnelConfig.of(start), createdMs);
  }

  static TunnelInfo of(Control.TunnelInfo info) {
    return new TunnelInfo(
        info.tunnelId(),
        info.tunnel(),
        info.table(),
        info.type(),
        new StreamTunnelConfig(info.start(), info.startMs(), info.endMs()),
        info.createdMs());
  }

  /** Never used again for another tunnel. */
  public String getTunnelId() {
    return tunnelId;
  }

  /** The name, unique among the tunnels of the table. */
  public String getTunnelName() {
    return tunnelName;
  }

  /** The table. */
  public String getTableName() {
    return tableName;
  }

  /** What the tunnel delivers. */
  public TunnelType getTunnelType() {
    return tunnelType;
  }

  /** Where the stream started, and where it ends. */
  public StreamTunnelConfig getStreamTunnelConfig() {
    return streamTunnelConfig;
  }

  /** When the tunnel was created, in milliseconds since 1970. */
  public long getCreateTime() {
    return createdMs;
  }

  /** Where the stream started when no moment was given. */
  public StreamStart start() {
    return streamTunnelConfig.flag();
  }
}
