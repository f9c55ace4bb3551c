package io.tunnel.stress.file;

import io.tunnel.model.Limits;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.terminal.file.CsvLine;
import io.tunnel.terminal.file.CsvLines;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Separated values (RFC 4180) whose first record names the columns. */
final class CsvRecordReader implements RecordReader {

  static final char SEPARATOR = ',';

  private final CsvLines lines;
  private final List<String> names;

  /**
   * A file.
   *
   * @param separator what separates values; a comma unless given, and then a header that looks as
   *     though another character did is refused
   */
  CsvRecordReader(InputStream in, Optional<Character> separator) {
    lines = new CsvLines(in, separator.orElse(SEPARATOR), 2 * Limits.ROW_BYTES_MAX);
    CsvLine first = lines.next();
    if (first == null) {
      throw new BadLineException("line 1: there is no header; it should name the columns");
    }
    names = first.fields();
    if (separator.isEmpty() && !CsvLines.separatorHint(names, SEPARATOR).isEmpty()) {
      throw new BadLineException("line 1: " + CsvLines.separatorHint(names, SEPARATOR));
    }
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (name.isBlank() || !seen.add(name)) {
        throw new BadLineException(
            "line "
                + first.line()
                + ": the header has "
                + (name.isBlank() ? "a column without a name" : "column '" + name + "' twice")
                + "; it should name each column once");
      }
    }
  }

  @Override
  public Optional<List<String>> names() {
    return Optional.of(names);
  }

  @Override
  public FileRecord next() {
    CsvLine line = lines.next();
    if (line == null) {
      return null;
    }
    List<String> values = line.fields();
    if (values.size() != names.size()) {
      throw new BadLineException(
          "line "
              + line.line()
              + ": "
              + values.size()
              + (values.size() == 1 ? " field" : " fields")
              + "; the header names "
              + names.size()
              + (names.size() == 1 ? " column" : " columns"));
    }
    List<FileRecord.Field> fields = new ArrayList<>(values.size());
    for (int i = 0; i < values.size(); i++) {
      if (!values.get(i).isEmpty()) {
        fields.add(new FileRecord.Field(names.get(i), values.get(i), FileRecord.Form.BARE));
      }
    }
    return new FileRecord.Plain(line.line(), fields);
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
