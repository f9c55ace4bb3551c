/** {@code tunnel tunnels}: tunnels, their channels and how far these are, for operators. */
package io.tunnel.cli.tunnels;
