/**
 * Copies of the data directory of a server that is alone: {@link io.tunnel.server.backup.Backup}
 * takes them while the server runs, {@link io.tunnel.server.backup.Restore} makes a data directory
 * of one. Why files are read and the server is not asked: docs/adr/0012.
 */
package io.tunnel.server.backup;
