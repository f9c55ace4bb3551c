package io.tunnel.terminal.file;

/**
 * Follows the quotes of a CSV text character by character, to know in which line one opened that is
 * not closed. A field that begins with a quote is quoted; a quote in it is written twice.
 */
final class QuoteCore {

  private static final char QUOTE = '"';

  private final char separator;
  private State state = State.FIELD_START;

  /** The line of the next character, from 1. */
  private long line = 1;

  /** Where the last quoted field began; meaningful while {@link #openLine} says so. */
  private long quoteLine;

  private boolean wasReturn;

  private enum State {
    /** In front of a field. */
    FIELD_START,
    /** Inside a field without quotes. */
    PLAIN,
    /** Inside a quoted field. */
    QUOTED,
    /** Behind a quote in a quoted field, which ends it unless another quote follows. */
    QUOTE_IN_QUOTED
  }

  QuoteCore(char separator) {
    this.separator = separator;
  }

  void next(char character) {
    boolean endsLine = character == '\r' || character == '\n';
    if (endsLine && !(character == '\n' && wasReturn)) {
      line++;
    }
    wasReturn = character == '\r';
    switch (state) {
      case FIELD_START -> {
        if (character == QUOTE) {
          quoteLine = line;
          state = State.QUOTED;
        } else {
          state = outside(character, endsLine);
        }
      }
      case QUOTED -> state = character == QUOTE ? State.QUOTE_IN_QUOTED : State.QUOTED;
      case QUOTE_IN_QUOTED ->
          state = character == QUOTE ? State.QUOTED : outside(character, endsLine);
      case PLAIN -> state = outside(character, endsLine);
    }
  }

  private State outside(char character, boolean endsLine) {
    return endsLine || character == separator ? State.FIELD_START : State.PLAIN;
  }

  /** The line of the next character, from 1. */
  long line() {
    return line;
  }

  /** The line in which the quoted field began that has not ended; 0 when there is none. */
  long openLine() {
    return state == State.QUOTED ? quoteLine : 0;
  }
}
