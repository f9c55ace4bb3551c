package io.tunnel.stress;

import java.util.List;

/** One record of a file, its values not yet typed; {@code line} is where it starts, from 1. */
record RawRecord(long line, List<Field> fields) {

  RawRecord {
    fields = List.copyOf(fields);
  }

  /** How a value stood in the file. */
  enum Form {
    /** Plain text that may mean a number or a truth value. */
    BARE,
    /** Text that is nothing but text. */
    QUOTED
  }

  /** A value under its column's name. */
  record Field(String name, String text, Form form) {}
}
