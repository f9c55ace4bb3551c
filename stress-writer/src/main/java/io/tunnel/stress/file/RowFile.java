package io.tunnel.stress.file;

import io.tunnel.stress.rows.BadLineException;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.StandardStream;
import io.tunnel.terminal.file.Gzip;
import io.tunnel.terminal.file.UnreadableTextException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A file of rows, or standard input as {@code -}; compressed when its name or its first bytes say
 * so.
 *
 * @param separator what separates the values of CSV; empty for a comma, or a tab in TSV
 * @param format its format; empty when its name says it, or standard input its start
 */
public record RowFile(Path path, Optional<Character> separator, Optional<RowFormat> format) {

  private static final String STANDARD_INPUT = "-";

  /** Blanks that are looked behind for the start of standard input. */
  private static final int BLANKS_MAX = 64 * 1024;

  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  /** Refuses null. */
  public RowFile {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(separator, "separator");
    Objects.requireNonNull(format, "format");
  }

  /** A file whose name says its format. */
  public RowFile(Path path, Optional<Character> separator) {
    this(path, separator, Optional.empty());
  }

  /** Whether it is standard input, which can be read once. */
  public boolean isStandardInput() {
    return path.toString().equals(STANDARD_INPUT);
  }

  /** Whether it is standard input or a pipe, of which nothing can be read a second time. */
  public boolean isReadOnce() {
    return isStandardInput()
        || (Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path));
  }

  /** What to call it in messages. */
  public String name() {
    return isStandardInput()
        ? "standard input"
        : Optional.ofNullable(path.getFileName()).orElse(path).toString();
  }

  /** Its bytes, when that is known. */
  public OptionalLong bytes() throws IOException {
    return isStandardInput() || !Files.isRegularFile(path)
        ? OptionalLong.empty()
        : OptionalLong.of(Files.size(path));
  }

  /** Empty for standard input, whose first bytes decide the format. */
  private Optional<RowFormat> formatRead() {
    Optional<RowFormat> known = format.or(() -> RowFormat.ofName(path.toString()));
    if (known.isEmpty() && !isStandardInput()) {
      throw new IllegalArgumentException(
          "the name of '"
              + path
              + "' does not say its format: it should end with .csv, .tsv or .jsonl (and .gz), or"
              + " --format says it");
    }
    return known;
  }

  /**
   * Opens it.
   *
   * @param bytesRead counts the bytes that are read
   * @throws IllegalArgumentException when its name does not say its format
   * @throws BadLineException when its header is none
   * @throws UnreadableFileException when it cannot be read
   */
  RecordReader open(AtomicLong bytesRead) {
    Optional<RowFormat> read = formatRead();
    InputStream in = null;
    try {
      in = new CountedStream(isStandardInput() ? System.in : StandardStream.open(path), bytesRead);
      in = RowFormat.isGzip(path.toString()) ? Gzip.unpack(in) : Gzip.unpackIfPacked(in);
      return read.isPresent() ? reader(read.get(), in) : readerAsItBegins(in);
    } catch (BadLineException e) {
      close(in, e);
      throw new BadLineException(name() + " " + e.getMessage());
    } catch (UnreadableTextException e) {
      close(in, e);
      throw unreadable(e.getMessage(), e);
    } catch (IOException e) {
      close(in, e);
      throw unreadable("cannot be read: " + Diagnosis.ofFile(e), e);
    }
  }

  private RecordReader reader(RowFormat read, InputStream in) throws IOException {
    return switch (read) {
      case JSONL -> new JsonRecordReader(in);
      case CSV -> CsvRecordReader.csv(new BufferedInputStream(in), separator);
      case TSV -> CsvRecordReader.tsv(in, separator);
    };
  }

  /** JSON Lines begin with a brace, behind blanks and empty lines; all else is CSV. */
  private RecordReader readerAsItBegins(InputStream in) throws IOException {
    PushbackInputStream pushback = new PushbackInputStream(in, BLANKS_MAX);
    skipByteOrderMark(pushback);
    byte[] start = new byte[BLANKS_MAX];
    int length = 0;
    int first = pushback.read();
    while (first >= 0 && length < BLANKS_MAX - 1 && " \t\r\n".indexOf(first) >= 0) {
      start[length++] = (byte) first;
      first = pushback.read();
    }
    if (first >= 0) {
      start[length++] = (byte) first;
    }
    pushback.unread(start, 0, length);
    return reader(first == '{' || first == '[' ? RowFormat.JSONL : RowFormat.CSV, pushback);
  }

  /** Reads no further than a mark goes: more may not be there yet. */
  private static void skipByteOrderMark(PushbackInputStream in) throws IOException {
    byte[] start = new byte[BYTE_ORDER_MARK.length];
    for (int length = 0; length < start.length; length++) {
      int next = in.read();
      if (next >= 0) {
        start[length] = (byte) next;
      }
      if (next < 0 || start[length] != BYTE_ORDER_MARK[length]) {
        in.unread(start, 0, next < 0 ? length : length + 1);
        return;
      }
    }
  }

  /** An error of this file. */
  UnreadableFileException unreadable(String what, Exception cause) {
    return new UnreadableFileException(name() + " " + what, cause);
  }

  private static void close(InputStream in, Exception why) {
    try {
      if (in != null) {
        in.close();
      }
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }
}
