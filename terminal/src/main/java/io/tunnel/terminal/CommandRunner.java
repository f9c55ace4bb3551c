package io.tunnel.terminal;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Runs a command so that every program of the project ends alike: an error is one line on standard
 * error, {@code tunnel tables get: message}, or JSON with {@code --json}, with an {@link ExitCode}
 * and never with a stack trace. Every command gets {@code --verbose}, which prints the stack trace
 * too, and the list of exit codes in its help; every command with subcommands gets one called
 * {@code help}.
 */
public final class CommandRunner {

  private static final String VERBOSE = "--verbose";
  private static final String JSON = "--json";

  /** The label of options that take a condition, which has blanks as a rule. */
  private static final String CONDITION = "CONDITION";

  private static final int HELP_COLUMNS = 100;
  private static final char REPLACEMENT = '\uFFFD';

  private CommandRunner() {}

  /**
   * Runs what {@code arguments} ask of {@code root}, and returns the code to exit with. Nothing is
   * thrown: also an {@link Error} becomes {@link ExitCode#INTERNAL}, so that a program whose
   * libraries have started threads still ends.
   */
  public static int run(CommandLine root, Diagnosis diagnosis, String... arguments) {
    equip(root.getCommandSpec(), root.getCommandSpec().version());
    root.setCaseInsensitiveEnumValuesAllowed(true);
    NumberConverters.register(root);
    for (String argument : arguments) {
      if (argument.indexOf(REPLACEMENT) >= 0) {
        return refuseGarbled(root, argument);
      }
    }
    // Where the command line is wrong, no option has a value.
    boolean isJson = List.of(arguments).contains(JSON);
    root.setParameterExceptionHandler((refusal, ignored) -> refuse(refusal, List.of(), isJson));
    root.setExecutionExceptionHandler(
        (trouble, command, ignored) -> fail(command, trouble, diagnosis.of(trouble), isJson));
    try {
      int exitCode = root.execute(arguments);
      return exitCode == ExitCode.OK ? checkOutput(root) : exitCode;
    } catch (Throwable fault) { // An Error: picocli hands on only exceptions.
      boolean verbose = List.of(arguments).contains(VERBOSE) || List.of(arguments).contains("-v");
      CommandFailure failure = fault(fault, verbose);
      root.getErr()
          .println(
              List.of(arguments).contains(JSON)
                  ? ErrorJson.of(name(root), failure)
                  : name(root) + ": " + failure.text());
      if (verbose) {
        fault.printStackTrace(root.getErr());
      }
      return ExitCode.INTERNAL;
    } finally {
      root.getOut().flush();
      root.getErr().flush();
    }
  }

  /** The first example of each subcommand, for a group that has no examples. */
  private static String[] firstExamples(CommandSpec group) {
    return group.subcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .flatMap(
            spec ->
                spec.usageMessage().footer().length == 0
                    ? Stream.of(firstExamples(spec)).limit(1)
                    : Stream.of(spec.usageMessage().footer()).limit(1))
        .filter(line -> line.startsWith("  "))
        .toArray(String[]::new);
  }

  /**
   * Java has decoded the arguments, and put one character in place of every byte that it could not
   * read: two keys would become one.
   */
  private static int refuseGarbled(CommandLine root, String argument) {
    root.getErr()
        .println(
            name(root)
                + ": the argument '"
                + argument
                + "' has bytes that are not text in "
                + System.getProperty("sun.jnu.encoding")
                + ", the encoding of this environment; nothing was done. Type UTF-8, and set a"
                + " locale of UTF-8, such as LC_ALL=C.UTF-8");
    root.getErr().flush();
    return ExitCode.USAGE;
  }

  /** What was printed must have arrived, unless its reader wanted no more, as {@code head} does. */
  private static int checkOutput(CommandLine root) {
    if (root.getOut() instanceof DataWriter data && data.failure().isPresent()) {
      root.getErr()
          .println(
              name(root)
                  + ": standard output cannot be written: "
                  + data.failure().orElseThrow().getMessage()
                  + "; what was printed is incomplete");
      return ExitCode.IO;
    }
    return ExitCode.OK;
  }

  private static void equip(CommandSpec spec, String[] version) {
    if (spec.version().length == 0) {
      spec.version(version);
    }
    if (spec.findOption(VERBOSE) == null) {
      OptionSpec.Builder verbose =
          spec.findOption("-v") == null
              ? OptionSpec.builder("-v", VERBOSE)
              : OptionSpec.builder(VERBOSE);
      spec.addOption(
          verbose
              .type(boolean.class)
              .description("Print stack traces of errors, and what is logged.")
              .build());
    }
    spec.usageMessage().width(HELP_COLUMNS);
    if (!spec.subcommands().isEmpty() && spec.usageMessage().footer().length == 0) {
      spec.usageMessage().footerHeading("%nExamples:%n").footer(firstExamples(spec));
    }
    if (spec.usageMessage().exitCodeList().isEmpty()) {
      spec.usageMessage().exitCodeListHeading("%nExit codes:%n").exitCodeList(ExitCode.help());
    }
    if (!spec.subcommands().isEmpty() && !spec.subcommands().containsKey(HelpCommand.NAME)) {
      spec.addSubcommand(HelpCommand.NAME, new CommandLine(new HelpCommand()));
    }
    for (CommandLine subcommand : spec.subcommands().values()) {
      equip(subcommand.getCommandSpec(), version);
    }
  }

  private static int refuse(ParameterException refusal, List<String> excerpt, boolean isJson) {
    CommandLine command = refusal.getCommandLine();
    PrintWriter err = command.getErr();
    String message = oneLine(refusal.getMessage());
    String help = "Try '" + name(command) + " --help'.";
    StringWriter more = new StringWriter();
    PrintWriter suggestions = new PrintWriter(more);
    boolean isSuggested =
        suggestOptions(command, suggestions)
            || suggestQuotes(command, suggestions)
            || UnmatchedArgumentException.printSuggestions(refusal, suggestions);
    if (!isSuggested && !command.getSubcommands().isEmpty()) {
      suggestions.println("Subcommands: " + String.join(", ", command.getSubcommands().keySet()));
    }
    suggestions.flush();
    if (isJson) {
      CommandFailure failure =
          new CommandFailure(
              ExitCode.USAGE, "USAGE", message, oneLine(more + System.lineSeparator() + help));
      err.println(ErrorJson.of(name(command), failure));
    } else {
      err.println(name(command) + ": " + message);
      excerpt.forEach(line -> err.println("  " + line));
      err.print(more);
      err.println(help);
    }
    return ExitCode.USAGE;
  }

  /** An option that is misspelt may look as though a required one were missing. */
  private static boolean suggestOptions(CommandLine command, PrintWriter out) {
    List<String> names =
        command.getCommandSpec().options().stream()
            .flatMap(option -> Stream.of(option.names()))
            .filter(name -> name.startsWith("--"))
            .toList();
    boolean isSuggested = false;
    for (String typed : command.getUnmatchedArguments()) {
      String name = typed.replaceFirst("=.*", "");
      List<String> meant = name.startsWith("--") ? Misspelt.nearest(name, names) : List.of();
      if (!meant.isEmpty()) {
        out.println(
            "There is no option " + name + ". Did you mean " + String.join(" or ", meant) + "?");
        isSuggested = true;
      }
    }
    return isSuggested;
  }

  /** A shell has cut a condition at its blanks, and taken the quotes of its texts. */
  private static boolean suggestQuotes(CommandLine command, PrintWriter out) {
    List<String> cut = command.getUnmatchedArguments();
    for (OptionSpec option : command.getCommandSpec().options()) {
      if (!cut.isEmpty()
          && option.paramLabel().equals(CONDITION)
          && !option.originalStringValues().isEmpty()) {
        String name = option.longestName();
        out.println(
            "A condition with blanks stands in single quotes, and a text in it in double quotes: "
                + name
                + " 'state = \"done\"'. The shell has cut this one: "
                + name
                + " "
                + option.originalStringValues().get(0)
                + " "
                + String.join(" ", cut));
        return true;
      }
    }
    return false;
  }

  private static int fail(
      CommandLine command, Throwable trouble, Optional<CommandFailure> diagnosed, boolean isJson) {
    if (diagnosed.isPresent() && diagnosed.get().exitCode() == ExitCode.USAGE) {
      CommandFailure usage = diagnosed.get();
      return refuse(
          new ParameterException(command, usage.text(), trouble), usage.excerpt(), isJson);
    }
    boolean verbose = isVerbose(command);
    CommandFailure failure = diagnosed.orElseGet(() -> fault(trouble, verbose));
    PrintWriter err = command.getErr();
    err.println(
        isJson
            ? ErrorJson.of(name(command), failure)
            : name(command) + ": " + oneLine(failure.text()));
    if (verbose) {
      trouble.printStackTrace(err);
    }
    return failure.exitCode();
  }

  private static CommandFailure fault(Throwable trouble, boolean verbose) {
    String advice = verbose ? "" : " (a fault of this program; -v shows where)";
    String message = trouble.getMessage() == null ? "" : ": " + trouble.getMessage();
    return new CommandFailure(
        ExitCode.INTERNAL, trouble.getClass().getSimpleName() + message + advice);
  }

  /** Whether the command, or one that it is a subcommand of, was told {@code --verbose}. */
  public static boolean isVerbose(CommandLine command) {
    for (CommandLine at = command; at != null; at = at.getParent()) {
      OptionSpec option = at.getCommandSpec().findOption(VERBOSE);
      if (option != null && Boolean.TRUE.equals(option.getValue())) {
        return true;
      }
    }
    return false;
  }

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName();
  }

  private static String oneLine(String message) {
    return message.strip().replaceAll("\\s*\\R\\s*", "; ");
  }
}
