package io.tunnel.partition.tool;

import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.StandardStream;
import io.tunnel.terminal.file.CsvLine;
import io.tunnel.terminal.file.CsvLines;
import io.tunnel.terminal.file.Gzip;
import io.tunnel.terminal.file.UnreadableTextException;
import io.tunnel.terminal.file.Utf8Text;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Keys in a file of text in UTF-8: one a line, or one column of a CSV file. */
final class SampleFile {

  private static final int FIELD_CHARS_MAX = 8 * 1024 * 1024;

  private final Path file;
  private final PrimaryKeyType type;
  private final SampleKeys keys = new SampleKeys(SampleKeys.KEYS_MAX);

  private SampleFile(Path file, PrimaryKeyType type) {
    this.file = file;
    this.type = type;
  }

  /** Reads one key a line; empty lines are skipped. */
  static SampleKeys readLines(Path file, PrimaryKeyType type) throws IOException {
    return new SampleFile(file, type).lines();
  }

  /**
   * Reads a column of a CSV file.
   *
   * @param column a name in the file's first line, or a number from 1 on for a file without names
   * @param separator what separates values; a comma unless given
   */
  static SampleKeys readCsv(
      Path file, PrimaryKeyType type, String column, Optional<Character> separator)
      throws IOException {
    return new SampleFile(file, type).csv(column, separator);
  }

  private SampleKeys lines() throws IOException {
    try (BufferedReader reader = new BufferedReader(new Utf8Text(open()))) {
      long number = 0;
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        if (!line.isEmpty()) {
          add(line, number);
        }
      }
    } catch (UnreadableTextException e) {
      throw bad(e.getMessage());
    }
    return keys;
  }

  private SampleKeys csv(String column, Optional<Character> separator) throws IOException {
    try (CsvLines lines = new CsvLines(open(), separator, FIELD_CHARS_MAX)) {
      int index = column.matches("[0-9]{1,6}") ? Integer.parseInt(column) - 1 : -1;
      CsvLine line = lines.next();
      List<String> first = line == null ? List.of() : line.fields();
      String hint = lines.separatorHint(first);
      if (index < 0) {
        index = indexOf(column, first, hint);
        line = lines.next();
      }
      for (; line != null; line = lines.next()) {
        if (line.fields().size() <= index) {
          throw bad(
              line.line(),
              "there are only "
                  + line.fields().size()
                  + " columns, no "
                  + (index + 1)
                  + (hint.isEmpty() ? "" : "; " + hint));
        }
        add(line.fields().get(index), line.line());
      }
    } catch (UnreadableTextException e) {
      throw bad(e.getMessage());
    }
    return keys;
  }

  private InputStream open() throws IOException {
    if (Files.isDirectory(file)) {
      throw CommandFailure.io("'" + file + "' is a directory, not a file of keys");
    }
    return new BufferedInputStream(Gzip.unpackIfPacked(StandardStream.open(file)));
  }

  private int indexOf(String column, List<String> header, String hint) {
    int index = header.indexOf(column);
    if (index < 0) {
      throw CommandFailure.usage(
          "'"
              + file
              + "' line 1: there is no column '"
              + column
              + "' among "
              + header
              + "; or give its number from 1"
              + (hint.isEmpty() ? "" : "; " + hint));
    }
    return index;
  }

  private void add(String text, long line) {
    PrimaryKeyValue key;
    try {
      key = KeyText.parse(type, text);
    } catch (IllegalArgumentException e) {
      throw bad(line, e.getMessage());
    }
    keys.add(key);
  }

  private CommandFailure bad(long line, String message) {
    return bad("line " + line + ": " + message);
  }

  private CommandFailure bad(String message) {
    return CommandFailure.io("'" + file + "' " + message);
  }
}
