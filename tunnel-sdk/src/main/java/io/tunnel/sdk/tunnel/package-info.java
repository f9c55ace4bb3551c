/**
 * Tunnels as {@link io.tunnel.sdk.TunnelClient} tells of them, and what it is asked to do with
 * them: a request and a response for each of its methods, tunnels, their channels and sessions.
 */
package io.tunnel.sdk.tunnel;
