package io.tunnel.programs.bench.seeds.process;

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
public record LoadLine(Word word, Map<String, Double> numbers, String text) {

  /** What a line says. */
  public enum Word {
    /** The warm-up is over. */
    MEASURING,
    /** The measured seconds are over. */
    MEASURED,
    /** The receivers have all messages, or the time for the rest is over. */
    DONE,
    /** The case failed, and with it the process. */
    FAILED
  }

  /** Takes a copy. */
  public LoadLine {
    numbers = Map.copyOf(numbers);
  }

  /** A line with numbers. */
  public static LoadLine of(Word word, Map<String, Double> numbers) {
    return new LoadLine(word, numbers, "");
  }

  /** The line of a failure. */
  public static LoadLine failed(Throwable why) {
    boolean isForPeople =
        why.getMessage() != null && !(why instanceof RuntimeException bug && isBug(bug));
    String text = isForPeople ? why.getMessage() : why.toString();
    return new LoadLine(Word.FAILED, Map.of(), text.replaceAll("\\s+", " "));
  }

  /** Whether only the name of the exception tells what happened. */
  private static boolean isBug(RuntimeException why) {
    return why.getClass().getName().startsWith("java.lang.")
        && !(why instanceof IllegalStateException);
  }

  /**
   * A number.
   *
   * @throws IllegalStateException when the line does not have it
   */
  public double number(String name) {
    Double number = numbers.get(name);
    if (number == null) {
      throw new IllegalStateException("the load said no '" + name + "': " + line());
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
