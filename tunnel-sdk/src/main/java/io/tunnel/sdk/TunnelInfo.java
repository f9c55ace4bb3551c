package io.tunnel.sdk;

import io.tunnel.model.TunnelType;
import io.tunnel.wire.control.Control;

/** What does not change about a tunnel. */
public final class TunnelInfo {

  private final Control.TunnelInfo info;

  private TunnelInfo(Control.TunnelInfo info) {
    this.info = info;
  }

  /**
   * A tunnel; the SDK makes these, and so may a test.
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
    this(
        new Control.TunnelInfo(
            tunnelId,
            tunnelName,
            tableName,
            tunnelType,
            stream.flag(),
            createTimeMs,
            stream.startOffset(),
            stream.endOffset()));
  }

  static TunnelInfo of(Control.TunnelInfo info) {
    return new TunnelInfo(info);
  }

  /** Never used again for another tunnel. */
  public String getTunnelId() {
    return info.tunnelId();
  }

  /** The name, unique among the tunnels of the table. */
  public String getTunnelName() {
    return info.tunnel();
  }

  /** The table. */
  public String getTableName() {
    return info.table();
  }

  /** What the tunnel delivers. */
  public TunnelType getTunnelType() {
    return info.type();
  }

  /** Where the stream started, and where it ends. */
  public StreamTunnelConfig getStreamTunnelConfig() {
    return new StreamTunnelConfig(info.start(), info.startMs(), info.endMs());
  }

  /** When the tunnel was created, in milliseconds since 1970. */
  public long getCreateTime() {
    return info.createdMs();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TunnelInfo that && info.equals(that.info);
  }

  @Override
  public int hashCode() {
    return info.hashCode();
  }

  @Override
  public String toString() {
    return info.toString();
  }
}
