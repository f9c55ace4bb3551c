package io.tunnel.model;

/** What a tunnel delivers. */
public enum TunnelType {
  /** The rows that exist when the tunnel is created. */
  BaseData,
  /** Changes from a start on. */
  Stream,
  /** The rows that exist, then their changes, without a gap. */
  BaseAndStream
}
