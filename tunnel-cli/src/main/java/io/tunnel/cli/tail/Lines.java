package io.tunnel.cli.tail;

import io.tunnel.sdk.processor.StreamRecord;
import java.io.PrintWriter;
import java.util.function.Function;

/** Prints the changes that pass a filter, many at once, up to a limit. */
final class Lines {

  /** Lines that are printed at once. */
  private static final int LINES_MAX = 256;

  private final TailFilter filter;
  private final Function<StreamRecord, String> text;
  private final PrintWriter out;
  private final StringBuilder waiting = new StringBuilder();

  /** Lines in {@code waiting}. */
  private int count;

  /** How many more are printed. */
  private long left;

  private boolean readerHasGone;

  Lines(TailFilter filter, Function<StreamRecord, String> text, PrintWriter out, long limit) {
    this.filter = filter;
    this.text = text;
    this.out = out;
    this.left = limit;
  }

  void print(StreamRecord record) {
    if (left == 0 || !filter.matches(record)) {
      return;
    }
    left--;
    waiting.append(text.apply(record)).append(System.lineSeparator());
    count++;
    if (count == LINES_MAX) {
      flush();
    }
  }

  /** What was printed is seen now. */
  void flush() {
    if (count > 0) {
      out.print(waiting);
      waiting.setLength(0);
      count = 0;
      readerHasGone =
          out.checkError(); // Flushes, and tells that the reader, such as head, has gone.
    }
  }

  /** Whether nothing more is to be printed. */
  boolean isOver() {
    return left == 0 || readerHasGone;
  }
}
