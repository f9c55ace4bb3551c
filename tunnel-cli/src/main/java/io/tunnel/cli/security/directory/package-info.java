/**
 * Makes what a server with {@code --security} has: an authority and certificates of it, the master
 * key, and the key of the first administrator. Asks no server.
 */
package io.tunnel.cli.security.directory;
