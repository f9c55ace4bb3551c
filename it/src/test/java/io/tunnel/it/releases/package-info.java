/**
 * What earlier releases left behind: data directories, backups and exports. Each release leaves a
 * small fixture, and every later build opens all of them.
 */
package io.tunnel.it.releases;
