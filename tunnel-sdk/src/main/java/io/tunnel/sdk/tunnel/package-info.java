/**
 * Requests and responses of {@link io.tunnel.sdk.TunnelClient}, one pair per method, and the state
 * of tunnels, channels and sessions.
 */
package io.tunnel.sdk.tunnel;
