/**
 * The values of the service: rows and columns, keys, tables, changes to rows, and the limits and
 * errors that both ends of a connection share.
 *
 * <p>Names follow Tablestore's SDK where the idea is the same ({@link io.tunnel.model.PrimaryKey},
 * {@link io.tunnel.model.RowPutChange}, {@link io.tunnel.model.RowExistenceExpectation}).
 * Everything here is immutable and validates itself: an instance that exists is a correct one.
 */
package io.tunnel.model;
