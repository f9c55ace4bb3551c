package io.tunnel.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;

/** The page with the help of every command, in which a text of many commands comes once. */
final class ToolsReference {

  /** An option of so many commands is explained once, in front of all commands. */
  private static final int COMMON_MIN = 10;

  private final StringBuilder page = new StringBuilder();
  private final Map<String, Integer> commandsByOption = new LinkedHashMap<>();

  private ToolsReference() {}

  /**
   * The page in Markdown.
   *
   * @param root all commands, as a run has prepared them
   */
  static String of(CommandLine root) {
    ToolsReference reference = new ToolsReference();
    reference.count(root);
    reference.begin(root);
    reference.describe(root, 2);
    return reference.page.toString();
  }

  private void count(CommandLine command) {
    entries(help(command).optionList())
        .forEach(entry -> commandsByOption.merge(words(entry), 1, Integer::sum));
    subcommands(command).forEach(this::count);
  }

  private void begin(CommandLine root) {
    page.append(
        """
        # Reference of the tools

        The help of every command, as `./tunnel help COMMAND` prints it. [tools.md](../guides/tools.md) is the guide: which
        command does what, and how the commands work together. A test makes this page from the programs and compares the
        two: edit the help, run `ToolsReferenceTest`, and copy the page that the test names.

        ## Common options

        The synopsis of a command names these options, and the rest of the command's help leaves them out here.

        ```
        """);
    // Of one command, so that the columns are even.
    List<String> most =
        all(root).stream()
            .map(command -> entries(help(command).optionList()))
            .map(entries -> entries.stream().filter(this::isCommon).toList())
            .max(Comparator.comparingInt(List::size))
            .orElseThrow();
    commandsByOption
        .keySet()
        .removeIf(option -> most.stream().noneMatch(e -> words(e).equals(option)));
    most.forEach(page::append);
    page.append("```\n\n## Exit codes\n\n```\n");
    page.append(help(root).exitCodeList());
    page.append("```\n");
  }

  private void describe(CommandLine command, int level) {
    Help help = help(command);
    String name = command.getCommandSpec().qualifiedName();
    page.append('\n').append("#".repeat(level)).append(' ').append(name).append("\n\n```\n");
    page.append("Usage: ").append(help.synopsis("Usage: ".length()));
    page.append(help.description());
    page.append(help.parameterList());
    entries(help.optionList()).stream().filter(entry -> !isCommon(entry)).forEach(page::append);
    if (!subcommands(command).isEmpty()) {
      page.append("Commands:\n").append(help.commandList());
    }
    page.append(help.footerHeading()).append(help.footer());
    page.append("```\n");
    subcommands(command).forEach(sub -> describe(sub, Math.min(level + 1, 4)));
  }

  private boolean isCommon(String entry) {
    return commandsByOption.getOrDefault(words(entry), 0) >= COMMON_MIN;
  }

  /** The options of a help one by one, each with its lines, and the headings between them. */
  private static List<String> entries(String optionList) {
    List<String> entries = new ArrayList<>();
    for (String line : optionList.lines().toList()) {
      boolean isOption = line.stripLeading().startsWith("-") && line.indexOf('-') <= 6;
      if (isOption || !line.startsWith(" ") || entries.isEmpty()) {
        entries.add(line.stripTrailing() + "\n");
      } else {
        int last = entries.size() - 1;
        entries.set(last, entries.get(last) + line.stripTrailing() + "\n");
      }
    }
    return entries;
  }

  /** The text without its columns, whose width is that of the command's longest option. */
  private static String words(String entry) {
    return entry.strip().replaceAll("\\s+", "");
  }

  private static Help help(CommandLine command) {
    return new Help(command.getCommandSpec(), Help.defaultColorScheme(Ansi.OFF));
  }

  private static List<CommandLine> all(CommandLine command) {
    return Stream.concat(
            Stream.of(command), subcommands(command).stream().flatMap(sub -> all(sub).stream()))
        .toList();
  }

  /** Without {@code help}, which every group has. */
  private static List<CommandLine> subcommands(CommandLine command) {
    return command.getSubcommands().entrySet().stream()
        .filter(sub -> !sub.getKey().equals("help"))
        .map(Map.Entry::getValue)
        .toList();
  }
}
