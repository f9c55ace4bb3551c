/**
 * The stored state of tunnels: {@link io.tunnel.server.catalog.tunnel.ChannelState} of each {@link
 * io.tunnel.server.catalog.tunnel.ChannelKey}, and their texts ({@link
 * io.tunnel.server.catalog.tunnel.TunnelRecords}). Only {@link
 * io.tunnel.server.catalog.TunnelCatalog} stores and changes them.
 */
package io.tunnel.server.catalog.tunnel;
