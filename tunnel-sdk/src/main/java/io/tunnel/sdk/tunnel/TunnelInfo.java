package io.tunnel.sdk.tunnel;

import io.tunnel.model.TunnelType;
import java.util.Objects;

/** The fixed properties of a tunnel. */
public final class TunnelInfo {

  private final Facts facts;

  private record Facts(
      String tunnelId,
      String tunnelName,
      String tableName,
      TunnelType tunnelType,
      StreamTunnelConfig stream,
      long createTimeMs) {}

  /**
   * A tunnel; for the SDK and for tests.
   *
   * @param createTimeMs when it was created, in milliseconds since 1970
   */
  public TunnelInfo(
      String tunnelId,
      String tunnelName,
      String tableName,
      TunnelType tunnelType,
      StreamTunnelConfig stream,
      long createTimeMs) {
    this.facts =
        new Facts(
            Objects.requireNonNull(tunnelId, "tunnelId"),
            Objects.requireNonNull(tunnelName, "tunnelName"),
            Objects.requireNonNull(tableName, "tableName"),
            Objects.requireNonNull(tunnelType, "tunnelType"),
            Objects.requireNonNull(stream, "stream"),
            createTimeMs);
  }

  /** The id, never reused for another tunnel. */
  public String getTunnelId() {
    return facts.tunnelId;
  }

  /** The name, unique among the tunnels of the table. */
  public String getTunnelName() {
    return facts.tunnelName;
  }

  /** The table. */
  public String getTableName() {
    return facts.tableName;
  }

  /** Whether the tunnel delivers rows, changes, or both. */
  public TunnelType getTunnelType() {
    return facts.tunnelType;
  }

  /** Where the stream started, and where it ends. */
  public StreamTunnelConfig getStreamTunnelConfig() {
    return facts.stream;
  }

  /** When the tunnel was created, in milliseconds since 1970. */
  public long getCreateTime() {
    return facts.createTimeMs;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TunnelInfo that && facts.equals(that.facts);
  }

  @Override
  public int hashCode() {
    return facts.hashCode();
  }

  @Override
  public String toString() {
    return facts.toString().replaceFirst("Facts", "TunnelInfo");
  }
}
