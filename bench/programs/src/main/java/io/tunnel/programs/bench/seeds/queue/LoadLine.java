package io.tunnel.programs.bench.seeds.queue;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A line of the process with the load.
 *
 * @param word what happened
 * @param numbers by name
 * @param text for people, of a failure; else empty
 */
record LoadLine(Word word, Map<String, Double> numbers, String text) {

  /** What a line says. */
  enum Word {
    /** The warm-up is over. */
    MEASURING,
    /** The measured seconds are over. */
    MEASURED,
    /** The receivers have all messages, or the time for the rest is over. */
    DONE,
    /** The case failed, and with it the process. */
    FAILED
  }

  static final String SENT = "sent";
  static final String EXPECTED = "expected";
  static final String RECEIVED = "received";
  static final String WRONG = "wrong";
  static final String NANOS = "nanos";
  static final String P50_NANOS = "p50Nanos";
  static final String P99_NANOS = "p99Nanos";

  /** Takes a copy. */
  LoadLine {
    numbers = Map.copyOf(numbers);
  }

  static LoadLine of(Word word, Map<String, Double> numbers) {
    return new LoadLine(word, numbers, "");
  }

  static LoadLine failed(Throwable why) {
    return new LoadLine(Word.FAILED, Map.of(), why.toString().replaceAll("\\s+", " "));
  }

  double number(String name) {
    Double number = numbers.get(name);
    if (number == null) {
      throw new IllegalStateException("the load said no '" + name + "': " + text());
    }
    return number;
  }

  /** One line for {@link #parse}. */
  String line() {
    StringBuilder line = new StringBuilder(word.name().toLowerCase(Locale.ROOT));
    numbers.forEach((name, number) -> line.append(' ').append(name).append('=').append(number));
    return text.isEmpty() ? line.toString() : line + " " + text;
  }

  /**
   * Reads a line.
   *
   * @throws IllegalArgumentException when it is none
   */
  static LoadLine parse(String line) {
    String[] words = line.split(" ", -1);
    Word word =
        Arrays.stream(Word.values())
            .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(words[0]))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no line of a load: " + line));
    if (word == Word.FAILED) {
      return new LoadLine(word, Map.of(), line.substring(words[0].length()).strip());
    }
    Map<String, Double> numbers = new LinkedHashMap<>();
    for (String each : Arrays.asList(words).subList(1, words.length)) {
      String[] pair = each.split("=", 2);
      if (pair.length != 2) {
        throw new IllegalArgumentException("no line of a load: " + line);
      }
      numbers.put(pair[0], Double.parseDouble(pair[1]));
    }
    return of(word, numbers);
  }
}
