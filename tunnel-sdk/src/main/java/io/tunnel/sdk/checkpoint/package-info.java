/** The progress of tunnels as {@link io.tunnel.sdk.TunnelClient} exports, imports and moves it. */
package io.tunnel.sdk.checkpoint;
