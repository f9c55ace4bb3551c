/**
 * The cells of rows: values of keys and columns, their types, and named columns. {@link
 * io.tunnel.model} has rows, keys and changes.
 *
 * <p>All types are immutable and validate themselves, as in the complete model.
 */
package io.tunnel.model.value;
