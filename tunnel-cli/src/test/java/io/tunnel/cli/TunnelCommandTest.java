package io.tunnel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

class TunnelCommandTest extends CommandLineTest {

  @Test
  void help_lists_the_programs() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("partition", "tables", "tunnels", "Exit codes:");
  }

  @Test
  void without_a_subcommand_those_there_are_are_named() {
    assertThat(run()).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("tunnel: name a subcommand")
        .contains(
            "Subcommands: demo, server, health, partition, stress, perf, bench, tables, tail, tunnels, cluster,"
                + " security, backup, restore, doctor, torture, completion, help");
    assertThat(run("tables")).isEqualTo(2);
    assertThat(err.toString()).startsWith("tunnel tables: name a subcommand");
    assertThat(run("tunnels")).isEqualTo(2);
    assertThat(err.toString()).startsWith("tunnel tunnels: name a subcommand");
  }

  @ParameterizedTest
  @CsvSource({
    "tabels list,tunnel tables",
    "tables lists,tables list",
    "tunnels descibe,tunnels describe",
    "partitions create,tunnel partition"
  })
  void a_wrong_word_is_answered_with_the_right_one(String line, String suggestion) {
    assertThat(runLine(line)).isEqualTo(2);
    assertThat(err.toString()).contains("Did you mean").contains(suggestion);
  }

  @Test
  void every_command_has_help_with_its_exit_codes_and_every_job_an_example() {
    List<String> jobs = new ArrayList<>();
    collect("", new CommandLine(new TunnelCommand()), jobs);
    assertThat(jobs)
        .contains(" tables scan", " tunnels create", " partition create", " cluster drain");
    for (String job : jobs) {
      assertThat(run((job.strip() + " --help").split(" "))).as(job).isZero();
      assertThat(out.toString())
          .as(job)
          .contains("Example", "  tunnel" + job, "Exit codes:", "--json", "--server", "--verbose");
      assertThat(run((job.strip() + " --version").split(" "))).as(job).isZero();
      assertThat(out.toString()).as(job).startsWith("tunnel ");
    }
  }

  /** Help is a format of its own: a percent sign stands for itself only when there are two. */
  @Test
  void every_text_of_help_can_be_formatted() {
    List<String> texts = new ArrayList<>();
    collectTexts(new CommandLine(new TunnelCommand()), texts);
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

  @ParameterizedTest
  @CsvSource({
    "help,tunnel",
    "help tunnels,tunnel tunnels",
    "help tunnels seek,tunnel tunnels seek",
    "tunnels help seek,tunnel tunnels seek",
    "cluster help drain,tunnel cluster drain",
    "help stress,tunnel stress"
  })
  void help_is_a_subcommand_at_every_level(String line, String command) {
    assertThat(runLine(line)).isZero();
    assertThat(out.toString()).startsWith("Usage: " + command + " [");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void help_of_what_is_not_there_names_what_is() {
    assertThat(runLine("help tunnels sek")).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("tunnel tunnels: there is no command 'sek'")
        .contains("Subcommands: list, describe, create,");
    assertThat(runLine("help stress fast")).isEqualTo(2);
    assertThat(err.toString()).startsWith("tunnel stress: there is no command 'fast'");
  }

  private static void collect(String name, CommandLine command, List<String> jobs) {
    if (command.getSubcommands().isEmpty()
        && name.matches(" (tables|tunnels|partition|cluster) .*")
        && !name.endsWith(" help")) {
      jobs.add(name);
    }
    command.getSubcommands().forEach((sub, line) -> collect(name + " " + sub, line, jobs));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tables list",
        "tables describe --table t",
        "tables drop --table t --yes",
        "tables get --table t --key a=1",
        "tables scan --table t",
        "tunnels create --table t --tunnel u",
        "tunnels list",
        "tunnels describe --table t --tunnel u",
        "tunnels delete --table t --tunnel u",
        "tunnels delete --table t --tunnel u --yes",
        "tables drop --table t",
        "cluster",
        "cluster drain n1"
      })
  void a_server_that_cannot_be_reached_is_one_line(String line) {
    service.isUnreachable = true;
    assertThat(runLine(line + " --server nobody:1")).isEqualTo(69);
    assertThat(errLines())
        .singleElement()
        .asString()
        .matches(
            "tunnel \\w+( \\w+)?: cannot connect to nobody:1: refused\\. Is a server running there\\?"
                + " Start one with 'tunnel server', or name another with --server");
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "TABLE_NOT_FOUND,1",
    "KEY_MISMATCH,1",
    "FENCED,1",
    "BUSY,69",
    "SHUTTING_DOWN,69",
    "STORAGE_FAILED,74",
    "INTERNAL,70"
  })
  void a_refusal_has_an_exit_code_that_tells_whether_to_try_again(ErrorCode code, int exitCode) {
    RefusedException refused = new RefusedException(code, "why");
    for (Throwable trouble : new Throwable[] {refused, new CompletionException(refused)}) {
      assertThat(new ServiceDiagnosis().of(trouble))
          .hasValueSatisfying(
              failure -> {
                assertThat(failure.exitCode()).isEqualTo(exitCode);
                assertThat(failure).hasMessage("why");
              });
    }
  }

  @Test
  void a_connection_lost_in_the_middle_gives_no_advice_to_start_a_server() {
    assertThat(new ServiceDiagnosis().of(new ConnectionException("lost", false, null)))
        .hasValueSatisfying(
            failure -> {
              assertThat(failure.exitCode()).isEqualTo(69);
              assertThat(failure).hasMessage("lost");
            });
    assertThat(new ServiceDiagnosis().of(new ArithmeticException())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tables list --server :1|--server ':1' is not HOST:PORT",
        "tables describe|Missing required option: '--table=TABLE'",
        "tables describe --table 1|table name '1' is not valid: 1 to 255 of A-Z a-z 0-9 _ -",
        "tables drop --table a.b --yes|table name 'a.b' is not valid",
        "tables get --table t|Missing required option: '--key=NAME=VALUE'",
        "tables get --table t --key 7|should be in KEY=VALUE format but was 7",
        "tables scan --table t --limit 0|--limit is a number of rows from 1 on, or all, not '0'",
        "tables scan --table t --limit few|--limit is a number of rows from 1 on, or all",
        "tables scan --table t --backward|Unknown option: '--backward'",
        "tunnels create --table t|Missing required option: '--tunnel=TUNNEL'",
        "tunnels create --table t --tunnel u/v|tunnel name 'u/v' is not valid",
        "tunnels create --table t --tunnel u --start NOW|--start 'NOW' is not a time: give earliest, latest, 2026",
        "tunnels list --table t,u|table name 't,u' is not valid",
        "tunnels describe --table t --tunnel 0|tunnel name '0' is not valid",
        "tunnels delete --table t --tunnel u --yess|Unknown option: '--yess'"
      })
  void bad_options_say_what_would_be_right(String line, String message) {
    assertThat(runLine(line)).isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(out.toString()).isEmpty();
    assertThat(service.endpoints).isEmpty();
  }
}
