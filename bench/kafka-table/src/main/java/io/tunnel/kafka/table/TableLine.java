package io.tunnel.kafka.table;

import java.util.List;
import java.util.Optional;

/**
 * A line from the child.
 *
 * @param word the kind of the line
 * @param rest the rest of the line; empty for most kinds
 */
record TableLine(Word word, String rest) {

  /** The kinds of lines. */
  enum Word {
    /** All partitions of the topic are followed. */
    FOLLOWING,
    /** The number of rows, after reading the table. */
    COUNTED,
    /** The table is deleted. */
    FORGOTTEN,
    /** The number of records in the table; sent without a request. */
    RECORDS,
    /** The reason of a failure; sent without a request, or instead of an answer. */
    FAILED
  }

  static TableLine of(Word word) {
    return new TableLine(word, "");
  }

  static TableLine of(Word word, long number) {
    return new TableLine(word, Long.toString(number));
  }

  /** A failure on one line. */
  static TableLine failed(Throwable why) {
    return new TableLine(Word.FAILED, why.toString().replaceAll("\\s+", " "));
  }

  /** Parses a line; empty for output of a library. */
  static Optional<TableLine> parse(String text) {
    int end = text.indexOf(' ');
    String name = end < 0 ? text : text.substring(0, end);
    return List.of(Word.values()).stream()
        .filter(word -> word.name().equals(name))
        .map(word -> new TableLine(word, end < 0 ? "" : text.substring(end + 1)))
        .findFirst();
  }

  String text() {
    return rest.isEmpty() ? word.name() : word.name() + " " + rest;
  }

  long number() {
    return Long.parseLong(rest);
  }
}
