package io.tunnel.stress.file;

import io.tunnel.stress.rows.BadLineException;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.file.UnreadableTextException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A file of rows, or standard input as {@code -}.
 *
 * @param separator what separates the values of CSV; empty for a comma, or a tab in {@code .tsv}
 */
public record RowFile(Path path, Optional<Character> separator) {

  private static final String STANDARD_INPUT = "-";
  private static final char JSON_START = '{';
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  /** Refuses null. */
  public RowFile {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(separator, "separator");
  }

  /** The formats that rows are read from. */
  private enum Format {
    /** Separated values, the first record naming the columns. */
    CSV,
    /** CSV whose values are separated by tabs. */
    TSV,
    /** JSON Lines: an object a line. */
    JSONL,
    /** JSON Lines when it begins with a brace, else CSV. */
    AS_IT_BEGINS
  }

  /** Whether it is standard input, which can be read once. */
  public boolean isStandardInput() {
    return path.toString().equals(STANDARD_INPUT);
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

  private Format format() {
    String name = path.toString().toLowerCase(Locale.ROOT);
    if (isStandardInput()) {
      return Format.AS_IT_BEGINS;
    } else if (name.endsWith(".csv")) {
      return Format.CSV;
    } else if (name.endsWith(".tsv")) {
      return Format.TSV;
    } else if (name.endsWith(".jsonl") || name.endsWith(".ndjson")) {
      return Format.JSONL;
    }
    throw new IllegalArgumentException(
        "the name of '"
            + path
            + "' does not say its format: it should end with .csv, .tsv or .jsonl");
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
    Format format = format();
    InputStream in = null;
    try {
      in = new CountedStream(isStandardInput() ? System.in : Files.newInputStream(path), bytesRead);
      return reader(format, in);
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

  private RecordReader reader(Format format, InputStream in) throws IOException {
    return switch (format) {
      case JSONL -> new JsonRecordReader(in);
      case CSV -> new CsvRecordReader(new BufferedInputStream(in), separator);
      case TSV ->
          new CsvRecordReader(new BufferedInputStream(in), Optional.of(separator.orElse('\t')));
      case AS_IT_BEGINS -> {
        PushbackInputStream pushback = new PushbackInputStream(in, BYTE_ORDER_MARK.length);
        skipByteOrderMark(pushback);
        int first = pushback.read();
        if (first >= 0) {
          pushback.unread(first);
        }
        yield reader(first == JSON_START ? Format.JSONL : Format.CSV, pushback);
      }
    };
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
