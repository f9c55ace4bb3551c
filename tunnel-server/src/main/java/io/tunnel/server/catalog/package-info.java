/**
 * The catalog: tables and partitions ({@link io.tunnel.server.catalog.Catalog}), tunnels and
 * checkpoints ({@link io.tunnel.server.catalog.TunnelCatalog}). Only the control thread changes it;
 * changes are durable before they are visible; any thread may read.
 */
package io.tunnel.server.catalog;
