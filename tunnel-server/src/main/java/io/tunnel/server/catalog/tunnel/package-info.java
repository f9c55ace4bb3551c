/**
 * The stored texts of tunnels and of their channels' states ({@link
 * io.tunnel.server.catalog.tunnel.TunnelRecords}), and of skipped changes ({@link
 * io.tunnel.server.catalog.tunnel.SkippedRecords}). Only {@link
 * io.tunnel.server.catalog.TunnelCatalog} stores and changes them.
 */
package io.tunnel.server.catalog.tunnel;
