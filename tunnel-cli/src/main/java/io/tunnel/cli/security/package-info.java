/** {@code ./tunnel security}: who may come to a server, and what they may do. */
package io.tunnel.cli.security;
