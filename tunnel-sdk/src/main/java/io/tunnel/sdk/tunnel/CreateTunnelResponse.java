package io.tunnel.sdk.tunnel;

/**
 * A tunnel was created.
 *
 * @param tunnelInfo the fixed properties of the tunnel
 */
public record CreateTunnelResponse(TunnelInfo tunnelInfo) {

  /** The id of the tunnel, for a {@link io.tunnel.sdk.TunnelWorker}. */
  public String getTunnelId() {
    return tunnelInfo.getTunnelId();
  }
}
