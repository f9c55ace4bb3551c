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
 * @param start where it started
 * @param createdMs when it was created, in milliseconds since 1970
 */
public record TunnelInfo(
    String tunnelId,
    String tunnelName,
    String tableName,
    TunnelType tunnelType,
    StreamStart start,
    long createdMs) {

  static TunnelInfo of(Control.TunnelInfo info) {
    return new TunnelInfo(
        info.tunnelId(), info.tunnel(), info.table(), info.type(), info.start(), info.createdMs());
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
}
