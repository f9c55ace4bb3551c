/**
 * What is kept of tunnels and of their channels: {@link
 * io.tunnel.server.catalog.tunnel.ChannelState} of each {@link
 * io.tunnel.server.catalog.tunnel.ChannelKey}, and the texts that say so ({@link
 * io.tunnel.server.catalog.tunnel.TunnelRecords}). Stored and changed by {@link
 * io.tunnel.server.catalog.TunnelCatalog} alone.
 */
package io.tunnel.server.catalog.tunnel;
