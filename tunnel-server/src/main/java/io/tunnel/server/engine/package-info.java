/**
 * What a server stands on: {@link io.tunnel.server.engine.Engine} keeps partitions, tables and
 * tunnels, and gives them as {@link io.tunnel.server.engine.Ports}; over these, {@link
 * io.tunnel.server.engine.Served} joins the rooms that face clients, alone and in a cluster alike.
 */
package io.tunnel.server.engine;
