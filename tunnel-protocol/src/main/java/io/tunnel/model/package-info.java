/**
 * What the service is about, as values: rows and their columns, keys, tables, changes to rows, and
 * the limits and errors that both ends of a connection agree on.
 *
 * <p>Names follow Tablestore's SDK where the idea is the same ({@link io.tunnel.model.PrimaryKey},
 * {@link io.tunnel.model.RowPutChange}, {@link io.tunnel.model.RowExistenceExpectation}).
 * Everything here is immutable and validates itself: an instance that exists is a correct one.
 */
package io.tunnel.model;
