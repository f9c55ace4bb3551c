package io.tunnel.kafka.table;

import java.util.List;

/**
 * A line that the child is asked with.
 *
 * @param verb what is to be done
 * @param words what it is done with
 */
record TableRequest(Verb verb, List<String> words) {

  /** What the child can do. */
  enum Verb {
    /** Keep a topic as a table: with the program's name, the topic, and its partitions. */
    FOLLOW,
    /** Read the table. */
    COUNT,
    /** Delete it. */
    FORGET
  }

  /** Refuses words with spaces. */
  TableRequest {
    words = List.copyOf(words);
    if (words.stream().anyMatch(word -> word.isEmpty() || word.indexOf(' ') >= 0)) {
      throw new IllegalArgumentException("not words: " + words);
    }
  }

  static TableRequest of(Verb verb, String... words) {
    return new TableRequest(verb, List.of(words));
  }

  static TableRequest parse(String text) {
    List<String> all = List.of(text.split(" ", -1));
    return new TableRequest(Verb.valueOf(all.get(0)), all.subList(1, all.size()));
  }

  String text() {
    return words.isEmpty() ? verb.name() : verb.name() + " " + String.join(" ", words);
  }
}
