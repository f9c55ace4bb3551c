/**
 * The catalog: which tables and partitions ({@link io.tunnel.server.catalog.Catalog}), tunnels and
 * checkpoints ({@link io.tunnel.server.catalog.TunnelCatalog}) exist. Changed by the control thread
 * alone, durable before it is visible, read by anybody.
 */
package io.tunnel.server.catalog;
