/**
 * The {@code ./tunnel} command: every program of the project behind one launcher, and the commands
 * for tables and tunnels. {@link io.tunnel.cli.TunnelCommand} lists them all.
 */
package io.tunnel.cli;
