/**
 * Where a catalog is kept: texts by name ({@link io.tunnel.server.catalog.store.CatalogStore}), in
 * a directory of this server or in the log that the nodes of a cluster share, and what is said when
 * they cannot be written.
 */
package io.tunnel.server.catalog.store;
