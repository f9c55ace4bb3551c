package io.tunnel.terminal.file;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The records of a CSV text in UTF-8 (RFC 4180), however many fields each has; empty lines are
 * none. A first line {@code sep=;}, which Excel reads and writes, is none either, and says what
 * separates. Used by one thread.
 */
public final class CsvLines implements Closeable {

  private static final Pattern RECORD_LINE = Pattern.compile("starting at line ([0-9]+)");

  private static final char SEPARATOR = ',';
  private static final String SEPARATOR_LINE = "sep=";
  private static final int[] BYTE_ORDER_MARK = {0xEF, 0xBB, 0xBF};

  private final char separator;

  /** Whether the user or the text says what separates. */
  private final boolean isSeparatorKnown;

  private final QuoteCore quotes;
  private final CloseableIterator<CsvLine> records;

  /**
   * A text.
   *
   * @param given the separator of fields; without one, the separator that the text names, or a
   *     comma
   * @param fieldCharsMax characters of a field
   * @throws IOException when the start of the text cannot be read
   */
  public CsvLines(InputStream in, Optional<Character> given, int fieldCharsMax) throws IOException {
    InputStream text = in.markSupported() ? in : new BufferedInputStream(in);
    Optional<Character> said = skipSeparatorLine(text);
    separator = given.or(() -> said).orElse(SEPARATOR);
    isSeparatorKnown = given.isPresent() || said.isPresent();
    quotes = new QuoteCore(separator);
    records =
        CsvReader.builder()
            .fieldSeparator(separator)
            .skipEmptyLines(true)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .allowUnclosedQuote(false)
            .maxBufferSize(fieldCharsMax)
            .build(new CsvLineHandler(), new Utf8Text(text, quotes))
            .iterator();
  }

  /**
   * Skips {@code sep=;} but not its line end, so that line numbers stay right. Reads no byte behind
   * such a line: the rest may not have arrived.
   */
  private static Optional<Character> skipSeparatorLine(InputStream in) throws IOException {
    in.mark(BYTE_ORDER_MARK.length + SEPARATOR_LINE.length() + 2);
    int next = in.read();
    for (int i = 0; i < BYTE_ORDER_MARK.length && next == BYTE_ORDER_MARK[i]; i++) {
      next = in.read();
    }
    for (int i = 0; i < SEPARATOR_LINE.length(); i++) {
      if (Character.toLowerCase(next) != SEPARATOR_LINE.charAt(i)) {
        in.reset();
        return Optional.empty();
      }
      next = in.read();
    }
    int end = next <= ' ' && next != '\t' ? -1 : in.read();
    if (next == '"' || (end != '\r' && end != '\n')) {
      in.reset();
      return Optional.empty();
    }
    in.reset();
    // What is in front of the line end: all but two are of the prefix.
    int prefix = in.read() == BYTE_ORDER_MARK[0] ? BYTE_ORDER_MARK.length : 0;
    in.skipNBytes(prefix + SEPARATOR_LINE.length());
    return Optional.of((char) next);
  }

  /** What separates the fields. */
  public char separator() {
    return separator;
  }

  /**
   * The next record, or null behind the last.
   *
   * @throws UnreadableTextException when the text cannot be read on
   */
  public CsvLine next() {
    try {
      return records.hasNext() ? records.next() : null;
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
   * A hint for a header of a single field that contains another separator, when the user named
   * none; empty otherwise.
   */
  public String separatorHint(List<String> header) {
    if (header.size() == 1 && !isSeparatorKnown) {
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
