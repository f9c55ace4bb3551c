package io.tunnel.terminal;

import java.io.Console;
import java.util.Optional;

/** Asks the person at the terminal. */
@FunctionalInterface
public interface Prompt {

  /** The line that was typed; empty when nobody is there to ask. */
  Optional<String> ask(String question);

  /** The terminal, when standard input and output both are one. */
  static Prompt console() {
    return question -> {
      Console console = System.console();
      return console == null || !Screen.isTerminal(0)
          ? Optional.empty()
          : Optional.ofNullable(console.readLine("%s", question));
    };
  }

  /** Whether the answer to a question is y or yes. */
  default boolean confirms(String question) {
    return ask(question + " [y/N] ")
        .map(String::strip)
        .filter(answer -> answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes"))
        .isPresent();
  }
}
