package io.tunnel.it.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A command of a document, with the output that the document shows.
 *
 * @param command as it is typed
 * @param output its lines; the lines must come in this order; other lines may stand between.
 *     Numbers, sizes and ids are not compared, a line {@code …} stands for any lines, and an
 *     ellipsis at the end of a line for the rest of it
 */
record ShownCommand(String command, List<String> output) {

  /** A command of which only success is shown. */
  ShownCommand(String command) {
    this(command, List.of());
  }

  /** The commands of a session, in which they stand behind a prompt. */
  static List<ShownCommand> session(String text) {
    List<ShownCommand> session = new ArrayList<>();
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("$ ")) {
        String command = lines.get(i).substring(2);
        while (command.endsWith("\\")) {
          i++;
          command = command.substring(0, command.length() - 1) + lines.get(i).strip();
        }
        session.add(new ShownCommand(command, new ArrayList<>()));
      } else if (session.isEmpty()) {
        throw new IllegalStateException("a session begins with a command, not: " + lines.get(i));
      } else {
        session.get(session.size() - 1).output().add(lines.get(i));
      }
    }
    return session;
  }

  /** A refusal is one line that begins with the words of the command. */
  private boolean showsRefusal() {
    return output.stream()
        .anyMatch(line -> line.matches("tunnel [a-z-]+(?: [a-z-]+)?: .*|not sound: .*"));
  }

  /** What contradicts the document, or nothing. */
  Optional<String> contradiction(String said, int exitCode) {
    if (showsRefusal() == (exitCode == 0)) {
      return Optional.of("exit code " + exitCode + ", said:\n" + said);
    }
    List<String> lines = said.lines().map(ShownCommand::shape).toList();
    int next = 0;
    for (String line : output) {
      String shape = shape(line);
      boolean isPrefix = shape.endsWith("…");
      String begin = isPrefix ? shape.substring(0, shape.length() - 1) : shape;
      while (next < lines.size()
          && !(isPrefix ? lines.get(next).startsWith(begin) : lines.get(next).equals(begin))) {
        next++;
      }
      if (next == lines.size()) {
        return Optional.of("not said, or not there: " + line + "\nsaid:\n" + said);
      }
      next = line.strip().equals("…") ? next : next + 1;
    }
    return Optional.empty();
  }

  /** The line without what differs from run to run. */
  static String shape(String line) {
    return line.replaceAll("t\\d+-[0-9a-z]{8,}", "ID")
        .replaceAll("[0-9][0-9,.]*", "0")
        .replaceAll("~?0 (?:B|KiB|MiB|GiB)\\b", "0 SIZE")
        .replaceAll("0 (?:ms|s|min 0 s)\\b", "0 TIME")
        .replaceAll("#+", "#")
        .replaceAll("=+", "=")
        .replaceAll("[\\s~]+", " ")
        .strip();
  }
}
