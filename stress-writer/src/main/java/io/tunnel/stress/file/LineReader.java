package io.tunnel.stress.file;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.stress.rows.BadLineException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/**
 * Lines of UTF-8 text, each at most {@code lineBytesMax} long, read without holding the file. A
 * line ends with a line feed, a carriage return, or both; a byte-order mark is no part of the
 * first.
 */
final class LineReader implements Closeable {

  private static final int BUFFER_BYTES = 64 * 1024;
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final InputStream in;
  private final int lineBytesMax;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final ByteSink line = new ByteSink(1024);
  private int at;
  private int limit;
  private long number;

  /** Whether a line feed that comes next belongs to the line end before it. */
  private boolean isBehindReturn;

  LineReader(InputStream in, int lineBytesMax) {
    this.in = in;
    this.lineBytesMax = lineBytesMax;
  }

  /** The number of the line that {@link #next} gave last, from 1. */
  long number() {
    return number;
  }

  /** The next line without its end, or null behind the last. */
  String next() {
    try {
      return read();
    } catch (IOException e) {
      throw new UnreadableFileException("cannot read: " + e.getMessage(), e);
    }
  }

  private String read() throws IOException {
    line.truncate(0);
    boolean tooLong = false;
    boolean found = false;
    while (fill()) {
      if (isBehindReturn) {
        isBehindReturn = false;
        if (buffer[at] == '\n') {
          at++;
          continue;
        }
      }
      if (!found) {
        found = true;
        number++;
      }
      int from = at;
      while (at < limit && buffer[at] != '\n' && buffer[at] != '\r') {
        at++;
      }
      tooLong |= line.size() + (at - from) > lineBytesMax;
      if (!tooLong) {
        line.write(buffer, from, at - from);
      }
      if (at < limit) {
        isBehindReturn = buffer[at] == '\r';
        at++;
        break;
      }
    }
    if (tooLong) {
      throw new BadLineException(
          "line " + number + ": over " + lineBytesMax + " bytes, the most that a line may have");
    }
    return found ? text() : null;
  }

  private boolean fill() throws IOException {
    if (at < limit) {
      return true;
    }
    at = 0;
    limit = in.read(buffer);
    return limit > 0;
  }

  private String text() {
    try {
      String text = Utf8.decodeStrictly(line.array(), 0, line.size());
      return number == 1 && text.startsWith(BYTE_ORDER_MARK)
          ? text.substring(BYTE_ORDER_MARK.length())
          : text;
    } catch (MalformedException e) {
      throw new BadLineException("line " + number + ": not UTF-8");
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
