/**
 * Files that survive a loss of power, for logs, indexes and data directories. All writes go through
 * {@link io.tunnel.server.disk.Disk}, so that tests can lose unsynced bytes, and inject failures.
 */
package io.tunnel.server.disk;
