package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import java.util.List;
import java.util.function.Predicate;

/** A row of the store that is looked at. Nothing of the row is decoded before a caller asks. */
public interface FoundRow {

  /** Whether the row may be seen: it has not expired. */
  default boolean isAlive() {
    return true;
  }

  /** The encoded key. */
  Bytes key();

  /** Bytes of the key and the stored value. */
  int bytes();

  /** Whether the evaluator's condition holds for the row as it is stored. */
  boolean isHeldBy(RowJudge judge);

  /** The columns with these names. */
  List<Column> columns(Predicate<String> names);

  /** All columns. */
  default List<Column> columns() {
    return columns(name -> true);
  }

  /** When the row was changed last, in microseconds since 1970. */
  long commitMicros();

  /** Is given rows in order; returns false to stop before taking the row it was given. */
  @FunctionalInterface
  interface Visitor {
    /** Looks at a row. */
    boolean row(FoundRow row);
  }
}
