/**
 * What a cell of a row holds: values of keys and of columns, their types, and a column with its
 * value. Rows, keys and changes that are made of them are in {@link io.tunnel.model}.
 *
 * <p>Everything here is immutable and validates itself, as all of the model does.
 */
package io.tunnel.model.value;
