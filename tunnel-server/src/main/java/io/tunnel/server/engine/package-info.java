/**
 * The engine of a server: {@link io.tunnel.server.engine.Engine} has partitions, tables and
 * tunnels, and offers them as {@link io.tunnel.server.engine.Ports}. Over the ports, {@link
 * io.tunnel.server.engine.Served} joins the rooms that face clients, with and without a cluster
 * alike.
 */
package io.tunnel.server.engine;
