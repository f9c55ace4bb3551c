package io.tunnel.model;

/** The contents that a tunnel delivers. */
public enum TunnelType {
  /** The rows at the creation of the tunnel. */
  BaseData,
  /** Changes from a start on. */
  Stream,
  /** The rows at the creation of the tunnel, then the later changes, without a gap. */
  BaseAndStream
}
