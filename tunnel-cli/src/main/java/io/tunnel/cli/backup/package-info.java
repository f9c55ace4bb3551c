/**
 * {@code tunnel backup} and {@code tunnel restore}: copies of the data directory of a single
 * server.
 */
package io.tunnel.cli.backup;
