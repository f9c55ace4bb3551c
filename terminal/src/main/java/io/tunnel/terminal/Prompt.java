package io.tunnel.terminal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.Optional;

/** Asks the person at the terminal. */
@FunctionalInterface
public interface Prompt {

  /** The line that was typed; empty when nobody is there to ask. */
  Optional<String> ask(String question);

  /** The terminal, when standard input and standard error, where questions go, both are one. */
  static Prompt terminal() {
    return question ->
        Screen.isTerminal(0) && Screen.isTerminal(2) ? askTerminal(question) : Optional.empty();
  }

  private static Optional<String> askTerminal(String question) {
    System.err.print(question);
    System.err.flush();
    try {
      InputStreamReader typed = new InputStreamReader(System.in, Charset.defaultCharset());
      return Optional.ofNullable(new BufferedReader(typed).readLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the answer to a question is y or yes. */
  default boolean confirms(String question) {
    return ask(question + " [y/N] ")
        .map(String::strip)
        .filter(answer -> answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes"))
        .isPresent();
  }
}
