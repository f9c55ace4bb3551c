package io.tunnel.stress.file;

import io.tunnel.condition.Condition;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.ColumnUpdate;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One record of a file, which begins at {@link #line}, from 1. */
sealed interface FileRecord {

  /** Where it begins. */
  long line();

  /** Values under the names of columns, not yet typed. */
  record Plain(long line, List<Field> fields) implements FileRecord {

    public Plain {
      fields = List.copyOf(fields);
    }
  }

  /** How a value stood in the file. */
  enum Form {
    /** Plain text that may mean a number or a truth value. */
    BARE,
    /** A number of JSON, which is never taken for a text. */
    NUMBER,
    /** Text that is nothing but text. */
    QUOTED,
    /** A number that is added to the column. */
    ADDED
  }

  /** A value under its column's name. */
  record Field(String name, String text, Form form) {}

  /**
   * A row or a change as tools print it.
   *
   * @param key texts of the key's columns by name, BINARY in hexadecimal
   * @param columns the columns that it sets, adds to and removes
   * @param onlyIf what must hold of the columns of the row
   */
  record Change(
      long line,
      ChangeKind kind,
      Map<String, String> key,
      List<ColumnUpdate> columns,
      Optional<Condition> onlyIf)
      implements FileRecord {

    public Change {
      key = Map.copyOf(key);
      columns = List.copyOf(columns);
    }
  }
}
