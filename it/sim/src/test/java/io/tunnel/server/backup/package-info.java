/** Backups of simulated machines. */
package io.tunnel.server.backup;
