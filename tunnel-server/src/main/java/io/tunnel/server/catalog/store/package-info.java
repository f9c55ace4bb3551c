/**
 * Stores of a catalog: texts by name ({@link io.tunnel.server.catalog.store.CatalogStore}), in a
 * directory of this server or in the log that the nodes of a cluster share, and the errors of a
 * failed write.
 */
package io.tunnel.server.catalog.store;
