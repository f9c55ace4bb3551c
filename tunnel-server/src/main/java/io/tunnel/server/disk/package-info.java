/**
 * Files that are still there when the power comes back: what the log, its index and the directory
 * of a node are written to. Everything that is written goes through {@link
 * io.tunnel.server.disk.Disk}, so that tests can lose what was not synced, and fail.
 */
package io.tunnel.server.disk;
