package io.tunnel.kafka.table;

import java.util.List;
import java.util.Optional;

/**
 * A line that the child says.
 *
 * @param word what it is about
 * @param rest what belongs to it; empty for most
 */
record TableLine(Word word, String rest) {

  /** What the child may say. */
  enum Word {
    /** All partitions of the topic are followed. */
    FOLLOWING,
    /** So many rows were read. */
    COUNTED,
    /** The table is gone. */
    FORGOTTEN,
    /** So many records are in the table. Unasked. */
    RECORDS,
    /** It goes on no more, and why. Unasked, or instead of an answer. */
    FAILED
  }

  static TableLine of(Word word) {
    return new TableLine(word, "");
  }

  static TableLine of(Word word, long number) {
    return new TableLine(word, Long.toString(number));
  }

  /** Why it goes on no more, on one line. */
  static TableLine failed(Throwable why) {
    return new TableLine(Word.FAILED, why.toString().replaceAll("\\s+", " "));
  }

  /** Empty for what a library printed. */
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
