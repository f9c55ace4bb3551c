/**
 * The catalog: which tables, partitions, tunnels and checkpoints exist. Changed by the control
 * thread alone, durable before it is visible, read by anybody.
 */
package io.tunnel.server.catalog;
