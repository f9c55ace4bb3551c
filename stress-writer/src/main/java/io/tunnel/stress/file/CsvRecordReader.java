package io.tunnel.stress.file;

import io.tunnel.model.Limits;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.terminal.file.CsvLine;
import io.tunnel.terminal.file.CsvLines;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Separated values whose first record names the columns: CSV (RFC 4180), or TSV, whose values are
 * all that is between tabs and end with their line, quotes and all.
 */
final class CsvRecordReader implements RecordReader {

  private static final char TAB = '\t';

  private final Records lines;
  private final List<String> names;

  /** The line of the last record. */
  private long line = 1;

  /** Where records come from. */
  private interface Records extends Closeable {

    /** The next, or null behind the last. */
    CsvLine next();

    /** What to say of such a header when another character seems to separate; may be empty. */
    String hint(List<String> header);
  }

  private record Csv(CsvLines lines) implements Records {

    @Override
    public CsvLine next() {
      return lines.next();
    }

    @Override
    public String hint(List<String> header) {
      return lines.separatorHint(header);
    }

    @Override
    public void close() throws IOException {
      lines.close();
    }
  }

  private record Tsv(LineReader lines, String separator) implements Records {

    @Override
    public CsvLine next() {
      String line = lines.next();
      while (line != null && line.isEmpty()) {
        line = lines.next();
      }
      return line == null
          ? null
          : new CsvLine(
              lines.number(), List.of(line.split(Pattern.quote(separator), -1)), Set.of());
    }

    @Override
    public String hint(List<String> header) {
      return "";
    }

    @Override
    public void close() throws IOException {
      lines.close();
    }
  }

  /**
   * CSV.
   *
   * @param separator what separates values; a comma unless given here or in the file, and then a
   *     header that looks as though another character did is refused
   */
  static CsvRecordReader csv(InputStream in, Optional<Character> separator) throws IOException {
    return new CsvRecordReader(new Csv(new CsvLines(in, separator, 2 * Limits.ROW_BYTES_MAX)));
  }

  /**
   * TSV.
   *
   * @param separator what separates values; a tab unless given
   */
  static CsvRecordReader tsv(InputStream in, Optional<Character> separator) {
    return new CsvRecordReader(
        new Tsv(
            new LineReader(in, 2 * Limits.ROW_BYTES_MAX), String.valueOf(separator.orElse(TAB))));
  }

  private CsvRecordReader(Records lines) {
    this.lines = lines;
    CsvLine first = lines.next();
    if (first == null) {
      throw new BadLineException("line 1: there is no header; it should name the columns");
    }
    names = first.fields();
    if (!lines.hint(names).isEmpty()) {
      throw new BadLineException("line " + first.line() + ": " + lines.hint(names));
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
    CsvLine record = lines.next();
    if (record == null) {
      return null;
    }
    line = record.line();
    List<String> values = record.fields();
    if (values.size() != names.size()) {
      throw new BadLineException(
          "line "
              + line
              + ": "
              + values.size()
              + (values.size() == 1 ? " field" : " fields")
              + "; the header names "
              + names.size()
              + (names.size() == 1 ? " column" : " columns"));
    }
    List<FileRecord.Field> fields = new ArrayList<>(values.size());
    for (int i = 0; i < values.size(); i++) {
      if (!values.get(i).isEmpty() || record.quotedEmpty().contains(i)) {
        fields.add(new FileRecord.Field(names.get(i), values.get(i), FileRecord.Form.BARE));
      }
    }
    return new FileRecord.Plain(line, fields);
  }

  @Override
  public long line() {
    return line;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
