package io.tunnel.it.sim.story;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A line of a story: words, of which some are options with a value. */
record StoryCommand(List<String> words, Map<String, String> options) {

  static StoryCommand parse(String line) {
    List<String> words = new ArrayList<>();
    Map<String, String> options = new LinkedHashMap<>();
    for (String word : line.strip().split(" +", -1)) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        options.put(word.substring(0, equals), word.substring(equals + 1));
      } else {
        words.add(word);
      }
    }
    return new StoryCommand(words, options);
  }

  String verb() {
    return words.get(0);
  }

  /** The word at that place behind the verb. */
  String word(int index) {
    if (index >= words.size()) {
      throw new IllegalArgumentException("'" + verb() + "' says too little: " + words);
    }
    return words.get(index);
  }

  boolean has(String word) {
    return words.contains(word);
  }

  Optional<String> option(String name) {
    return Optional.ofNullable(options.get(name));
  }

  int number(String name, int otherwise) {
    return option(name).map(Integer::parseInt).orElse(otherwise);
  }

  /** Milliseconds: {@code 200ms}, {@code 3s}. */
  static long millis(String text) {
    if (text.endsWith("ms")) {
      return Long.parseLong(text.substring(0, text.length() - 2));
    }
    if (text.endsWith("s")) {
      return TimeUnit.SECONDS.toMillis(Long.parseLong(text.substring(0, text.length() - 1)));
    }
    throw new IllegalArgumentException("a time is like 200ms or 3s, not " + text);
  }

  long millis(String name, long otherwise) {
    return option(name).map(StoryCommand::millis).orElse(otherwise);
  }
}
