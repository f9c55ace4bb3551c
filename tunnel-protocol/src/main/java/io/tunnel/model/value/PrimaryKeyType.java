package io.tunnel.model.value;

/**
 * The type of a primary-key column. The order of keys is the order of their columns, compared one
 * after the other.
 */
public enum PrimaryKeyType {
  /** A signed 64-bit integer, in numeric order. */
  INTEGER,
  /** Unicode text, in the order of its UTF-8 bytes (which is the order of code points). */
  STRING,
  /** Bytes, in unsigned lexicographic order. */
  BINARY
}
