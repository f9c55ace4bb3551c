package io.tunnel.terminal.file;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The records of a CSV text in UTF-8 (RFC 4180), however many fields each has; empty lines are
 * none. Used by one thread.
 */
public final class CsvLines implements Closeable {

  private static final Pattern RECORD_LINE = Pattern.compile("starting at line ([0-9]+)");

  private final QuoteCore quotes;
  private final CloseableIterator<CsvRecord> records;

  /**
   * A text.
   *
   * @param fieldCharsMax characters of a field
   */
  public CsvLines(InputStream in, char separator, int fieldCharsMax) {
    quotes = new QuoteCore(separator);
    records =
        CsvReader.builder()
            .fieldSeparator(separator)
            .skipEmptyLines(true)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .allowUnclosedQuote(false)
            .maxBufferSize(fieldCharsMax)
            .ofCsvRecord(new Utf8Text(in, quotes))
            .iterator();
  }

  /**
   * The next record, or null behind the last.
   *
   * @throws UnreadableTextException when the text cannot be read on
   */
  public CsvLine next() {
    try {
      if (!records.hasNext()) {
        return null;
      }
      CsvRecord next = records.next();
      return new CsvLine(next.getStartingLineNumber(), next.getFields());
    } catch (UncheckedIOException e) {
      throw new UnreadableTextException("cannot be read: " + e.getCause().getMessage(), e);
    } catch (CsvParseException e) {
      throw unreadable(e);
    }
  }

  private UnreadableTextException unreadable(CsvParseException e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof UnreadableTextException text) {
        return text;
      }
      if (cause instanceof IOException) {
        return new UnreadableTextException("cannot be read: " + cause.getMessage(), e);
      }
    }
    return new UnreadableTextException(explain(String.valueOf(e.getMessage())), e);
  }

  /** The reader is ahead of the parser, so only an unclosed quote is where {@code quotes} is. */
  private String explain(String message) {
    Matcher line = RECORD_LINE.matcher(message);
    String where = line.find() ? "line " + line.group(1) + ": " : "";
    if (message.startsWith("Unexpected character after closing quote")) {
      return where
          + "the record that begins here has a quoted field with characters behind its closing"
          + " quote: a quote is missing, or one inside is not written twice";
    }
    return quotes.openLine() > 0
        ? "line " + quotes.openLine() + ": the quote that opens here is never closed"
        : where + message.replaceFirst(" \\(record starting.*", "");
  }

  /**
   * What to say of a first record that has one field, when it looks as though another separator
   * were meant; empty otherwise.
   */
  public static String separatorHint(List<String> header, char separator) {
    if (header.size() == 1) {
      for (char other : new char[] {';', '\t', '|', ','}) {
        if (other != separator && header.get(0).indexOf(other) >= 0) {
          return "'"
              + Separator.name(other)
              + "' seems to separate the columns, not '"
              + Separator.name(separator)
              + "': add --separator '"
              + Separator.name(other)
              + "'";
        }
      }
    }
    return "";
  }

  @Override
  public void close() throws IOException {
    records.close();
  }
}
