package io.tunnel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** All commands that the launcher has: those of tunnel-cli, and those that it finds in our jar. */
class EveryCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private static CommandLine everything() {
    return TunnelCommand.commandLine(CommandLine.defaultFactory());
  }

  private int runLine(String line) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine root = everything().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] arguments = line.isEmpty() ? new String[0] : line.split(" ");
    return CommandRunner.run(root, Diagnosis.standard().or(new ServiceDiagnosis()), arguments);
  }

  @Test
  void commands_of_other_modules_are_listed_among_those_of_the_command_line() {
    assertThat(runLine("")).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "Subcommands: demo, server, health, ping, partition, stress, perf, bench, tables, tail, watch, tunnels,"
                + " cluster, security, backup, restore, doctor, torture, completion, version, help");
  }

  @Test
  void commands_of_other_modules_are_completed() {
    assertThat(runLine("completion bash")).isZero();
    assertThat(out.toString()).contains("demo", "whitepaper", "torture", "--faults");
  }

  /** Groups have one too: a reader of their help looks for a line to type. */
  @Test
  void every_command_has_an_example_that_can_be_typed() {
    List<String> names = new ArrayList<>();
    collectNames("", everything(), names);
    assertThat(names).contains("", " tables", " security key rotate", " bench quick", " demo");
    List<String> without = new ArrayList<>();
    for (String name : names) {
      assertThat(runLine((name + " --help").strip())).as(name).isZero();
      String help = out.toString();
      int examples = Math.max(help.indexOf("\nExample"), help.indexOf("\nTo start with:"));
      if (examples < 0 || !help.substring(examples).matches("(?s).*tunnel" + name + "\\b.*")) {
        without.add("tunnel" + name);
      }
    }
    assertThat(without).isEmpty();
  }

  private static void collectNames(String name, CommandLine command, List<String> names) {
    if (!name.endsWith(" help")) {
      names.add(name);
    }
    command.getSubcommands().forEach((sub, line) -> collectNames(name + " " + sub, line, names));
  }

  @Test
  void the_help_of_the_demo_does_not_offer_standard_input_that_it_refuses() {
    assertThat(runLine("demo --help")).isZero();
    assertThat(out.toString().replaceAll("\\s+", " "))
        .contains("so cannot be standard input")
        .doesNotContain("- is standard input");
    assertThat(runLine("stress --help")).isZero();
    assertThat(out.toString().replaceAll("\\s+", " ")).contains("- is standard input");
  }

  /** Help is a format of its own: a percent sign stands for itself only when there are two. */
  @Test
  void every_text_of_help_can_be_formatted() {
    List<String> texts = new ArrayList<>();
    collectTexts(everything(), texts);
    assertThat(texts).hasSizeGreaterThan(500);
    assertThat(texts)
        .allSatisfy(text -> assertThatCode(text::formatted).doesNotThrowAnyException());
  }

  private static void collectTexts(CommandLine command, List<String> texts) {
    CommandSpec spec = command.getCommandSpec();
    UsageMessageSpec usage = spec.usageMessage();
    Stream.of(usage.header(), usage.description(), usage.footer())
        .map(List::of)
        .forEach(texts::addAll);
    usage.exitCodeList().values().forEach(texts::add);
    spec.args().forEach(argument -> texts.addAll(List.of(argument.description())));
    command.getSubcommands().values().forEach(sub -> collectTexts(sub, texts));
  }
}
