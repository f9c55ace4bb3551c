package io.tunnel.partition.tool;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import io.tunnel.model.PrimaryKeyType;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.terminal.CommandFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/** Keys in a file of text in UTF-8: one a line, or one column of a CSV file. */
final class SampleFile {

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
   */
  static SampleKeys readCsv(Path file, PrimaryKeyType type, String column) throws IOException {
    return new SampleFile(file, type).csv(column);
  }

  private SampleKeys lines() throws IOException {
    try (BufferedReader reader = open()) {
      long number = 0;
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        if (!line.isEmpty()) {
          add(line, number);
        }
      }
    } catch (CharacterCodingException e) {
      throw notText();
    }
    return keys;
  }

  private SampleKeys csv(String column) throws IOException {
    CsvReader.CsvReaderBuilder csv =
        CsvReader.builder()
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE);
    try (CsvReader<CsvRecord> reader = csv.ofCsvRecord(open())) {
      Iterator<CsvRecord> records = reader.iterator();
      int index = column.matches("[0-9]{1,6}") ? Integer.parseInt(column) - 1 : -1;
      if (index < 0) {
        index = indexOf(column, records.hasNext() ? records.next().getFields() : List.of());
      }
      while (records.hasNext()) {
        CsvRecord line = records.next();
        if (line.getFieldCount() <= index) {
          throw bad(
              line.getStartingLineNumber(),
              "there are only " + line.getFieldCount() + " columns, no " + (index + 1));
        }
        add(line.getField(index), line.getStartingLineNumber());
      }
    } catch (CsvParseException e) {
      if (e.getCause() instanceof CharacterCodingException) {
        throw notText();
      }
      throw CommandFailure.io("'" + file + "' is not CSV: " + e.getMessage());
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof CharacterCodingException) {
        throw notText();
      }
      throw e;
    }
    return keys;
  }

  private BufferedReader open() throws IOException {
    if (Files.isDirectory(file)) {
      throw CommandFailure.io("'" + file + "' is a directory, not a file of keys");
    }
    return Files.newBufferedReader(file, StandardCharsets.UTF_8);
  }

  private int indexOf(String column, List<String> header) {
    int index = header.indexOf(column);
    if (index < 0) {
      throw bad(
          1, "there is no column '" + column + "' among " + header + "; or give its number from 1");
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
    return CommandFailure.io("'" + file + "' line " + line + ": " + message);
  }

  private CommandFailure notText() {
    return CommandFailure.io("'" + file + "' is not text in UTF-8");
  }
}
