package io.tunnel.kafka.table;

import java.util.List;

/**
 * A request to the child, one line.
 *
 * @param verb the kind of the request
 * @param words the arguments
 */
record TableRequest(Verb verb, List<String> words) {

  /** The kinds of requests. */
  enum Verb {
    /**
     * Keep a topic as a table; arguments: the application, the topic, and the number of partitions.
     */
    FOLLOW,
    /** Read the table. */
    COUNT,
    /** Delete the table. */
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
