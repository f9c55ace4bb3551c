package io.tunnel.stress;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import io.tunnel.model.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Comma-separated values (RFC 4180) whose first record names the columns. */
final class CsvRecordReader implements RecordReader {

  private final CloseableIterator<CsvRecord> records;
  private final List<String> names;

  CsvRecordReader(InputStream in) {
    // A decoder that reports broken text instead of replacing it.
    records =
        CsvReader.builder()
            .skipEmptyLines(true)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .maxBufferSize(2 * Limits.ROW_BYTES_MAX)
            .ofCsvRecord(new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder()))
            .iterator();
    names = header();
  }

  private List<String> header() {
    CsvRecord record = read();
    if (record == null) {
      throw new BadLineException("line 1: there is no header; it should name the columns");
    }
    List<String> header = new ArrayList<>(record.getFields());
    header.set(0, header.get(0).replaceFirst("^\\uFEFF", ""));
    Set<String> seen = new HashSet<>();
    for (String name : header) {
      if (name.isBlank() || !seen.add(name)) {
        throw new BadLineException(
            "line 1: the header has "
                + (name.isBlank() ? "a column without a name" : "column '" + name + "' twice")
                + "; it should name each column once");
      }
    }
    return List.copyOf(header);
  }

  /** The columns that the header names. */
  List<String> names() {
    return names;
  }

  @Override
  public RawRecord next() {
    CsvRecord record = read();
    if (record == null) {
      return null;
    }
    long line = record.getStartingLineNumber();
    List<String> values = record.getFields();
    if (values.size() != names.size()) {
      throw new BadLineException(
          "line "
              + line
              + ": "
              + values.size()
              + " fields; the header names "
              + names.size()
              + " columns");
    }
    List<RawRecord.Field> fields = new ArrayList<>(values.size());
    for (int i = 0; i < values.size(); i++) {
      if (!values.get(i).isEmpty()) {
        fields.add(new RawRecord.Field(names.get(i), values.get(i), RawRecord.Form.BARE));
      }
    }
    return new RawRecord(line, fields);
  }

  private CsvRecord read() {
    try {
      return records.hasNext() ? records.next() : null;
    } catch (CsvParseException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UnreadableFileException("not CSV in UTF-8: " + cause.getMessage(), e);
    } catch (UncheckedIOException e) {
      throw new UnreadableFileException("not CSV in UTF-8: " + e.getCause(), e);
    }
  }

  @Override
  public void close() throws IOException {
    records.close();
  }
}
