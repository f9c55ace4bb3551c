package io.tunnel.terminal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A script that makes fish complete a program: one line a command and option, on the condition that
 * the words before it lead to that command.
 */
final class FishCompletion {

  private static final String FUNCTIONS =
      """
      # Completions of NAME for fish.
      function __NAME_at -d 'Whether the words typed lead to a command'
          set -l path ''
          for word in (commandline -opc)[2..-1]
              if contains -- (string trim "$path $word") $__NAME_commands
                  set path (string trim "$path $word")
              end
          end
          test "$path" = "$argv[1]"
      end
      function __NAME_tables -d 'The tables of the server that the command line names'
          set -l words (commandline -opc)
          set -l options
          for i in (seq 2 (count $words))
              switch $words[$i]
                  case '--server=*' '--profile=*'
                      set -a options $words[$i]
                  case --server --profile
                      set -a options $words[$i] $words[(math $i + 1)]
              end
          end
          $words[1] tables list $options 2>/dev/null
      end
      """;

  private final String name;
  private final List<String> commands = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();

  private FishCompletion(String name) {
    this.name = name;
  }

  /** The script for {@code root} and its subcommands. */
  static String of(CommandLine root) {
    FishCompletion completion = new FishCompletion(root.getCommandName());
    completion.add("", root);
    return FUNCTIONS.replace("NAME", completion.name)
        + "set -g __"
        + completion.name
        + "_commands "
        + completion.commands.stream().map(FishCompletion::quote).collect(Collectors.joining(" "))
        + "\ncomplete -c "
        + completion.name
        + " -f\n"
        + String.join("\n", completion.lines)
        + "\n";
  }

  private void add(String path, CommandLine command) {
    String start = "complete -c " + name + " -n " + quote("__" + name + "_at \"" + path + "\"");
    command
        .getSubcommands()
        .forEach(
            (word, sub) ->
                lines.add(
                    start
                        + " -a "
                        + word
                        + describe(sub.getCommandSpec().usageMessage().description())));
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (!option.hidden()) {
        lines.add(start + names(option) + values(option) + describe(option.description()));
      }
    }
    if (path.equals("tail")) {
      lines.add(start + " -a '(__" + name + "_tables)'");
    }
    command
        .getSubcommands()
        .forEach(
            (word, sub) -> {
              String below = path.isEmpty() ? word : path + " " + word;
              commands.add(below);
              add(below, sub);
            });
  }

  private static String names(OptionSpec option) {
    StringBuilder names = new StringBuilder();
    for (String one : option.names()) {
      names.append(one.startsWith("--") ? " -l " + one.substring(2) : " -s " + one.substring(1));
    }
    return names.toString();
  }

  private String values(OptionSpec option) {
    if (option.arity().max() == 0) {
      return "";
    }
    if (List.of(option.names()).contains(CompletionCommand.TABLE_OPTION)) {
      return " -x -a '(__" + name + "_tables)'";
    }
    if (option.type() == Path.class) {
      return " -r -F";
    }
    String candidates =
        option.completionCandidates() == null
            ? ""
            : StreamSupport.stream(option.completionCandidates().spliterator(), false)
                .collect(Collectors.joining(" "));
    return candidates.isEmpty() ? " -x" : " -x -a " + quote(candidates);
  }

  /** The first sentence; fish shows one line. */
  private static String describe(String[] description) {
    String text = String.join(" ", description).replace("%%", "%").replace("%n", " ");
    text =
        text.replaceAll("\\s*\\(default: \\$\\{DEFAULT-VALUE\\}\\)", "")
            .replaceAll("\\$\\{[^}]*\\}", "");
    int end = text.indexOf(". ");
    return text.isEmpty() ? "" : " -d " + quote(end < 0 ? text : text.substring(0, end + 1));
  }

  private static String quote(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
