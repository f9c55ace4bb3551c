package io.tunnel.sdk.tunnel;

import io.tunnel.sdk.TunnelWorker;

/**
 * A tunnel was created.
 *
 * @param tunnelInfo what does not change about it
 */
public record CreateTunnelResponse(TunnelInfo tunnelInfo) {

  /** Names the tunnel for a {@link TunnelWorker}. */
  public String getTunnelId() {
    return tunnelInfo.getTunnelId();
  }
}
