/**
 * Backups of the data directory of a single server: {@link io.tunnel.server.backup.Backup} takes
 * one while the server runs, {@link io.tunnel.server.backup.Restore} makes a data directory from
 * it. Why it reads files instead of asking the server: docs/internals/adr/0012.
 */
package io.tunnel.server.backup;
