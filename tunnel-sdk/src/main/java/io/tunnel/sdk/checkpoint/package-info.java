/** The progress of tunnels for export, import and seek by {@link io.tunnel.sdk.TunnelClient}. */
package io.tunnel.sdk.checkpoint;
