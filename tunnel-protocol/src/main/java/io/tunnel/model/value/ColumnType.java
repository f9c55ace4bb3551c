package io.tunnel.model.value;

/** The type of an attribute column's value. */
public enum ColumnType {
  /** A signed 64-bit integer. */
  INTEGER,
  /** An IEEE 754 double. */
  DOUBLE,
  /** True or false. */
  BOOLEAN,
  /** Unicode text, stored as UTF-8. */
  STRING,
  /** Bytes. */
  BINARY
}
