package io.tunnel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.terminal.ExitCode;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

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
            "Subcommands: server, health, ping, partition, stress, perf, tables, tail, watch, tunnels, cluster,"
                + " security, backup, restore, doctor, completion, version, help");
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
    collect("", TunnelCommand.commandLine(CommandLine.defaultFactory()), jobs);
    assertThat(jobs)
        .contains(" tables scan", " tunnels create", " tables create", " cluster drain");
    for (String job : jobs) {
      // A backup of a cluster reads Kafka alone, and a restore has no server yet.
      boolean isOfKafka = job.equals(" cluster backup") || job.equals(" cluster restore");
      String reached = isOfKafka ? "--bootstrap" : "--server";
      assertThat(run((job.strip() + " --help").split(" "))).as(job).isZero();
      assertThat(out.toString())
          .as(job)
          .contains("Example", "  tunnel" + job, "Exit codes:", "--json", reached, "--verbose");
      assertThat(run((job.strip() + " --version").split(" "))).as(job).isZero();
      assertThat(out.toString()).as(job).startsWith("tunnel ");
    }
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
    "TABLE_NOT_FOUND,4",
    "TUNNEL_NOT_FOUND,4",
    "CHANNEL_NOT_FOUND,4",
    "CONDITION_FAILED,5",
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

  /** The codes stand in ExitCode alone; the help, and the reference made from it, list them. */
  @Test
  void the_help_has_every_exit_code() throws Exception {
    assertThat(run("--help")).isZero();
    String help = out.toString();
    for (Field code : ExitCode.class.getFields()) {
      assertThat(help).as(code.getName()).containsPattern("\\n  " + code.getInt(null) + " +\\S");
    }
  }

  @Test
  void the_version_is_a_command_too() {
    assertThat(runLine("version")).isZero();
    assertThat(outLines().get(0)).startsWith("tunnel ");
    assertThat(outLines().get(1)).startsWith("Java " + Runtime.version().feature());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tables describe --tabel t|There is no option --tabel. Did you mean --table?",
        "tunnels seek --table t --tunel=x --to latest|There is no option --tunel. Did you mean --tunnel?",
        "tables scan --table t --limt 3|There is no option --limt. Did you mean --limit?",
        "tables list --sever x:1|There is no option --sever. Did you mean --server?"
      })
  void a_misspelt_option_is_answered_with_the_right_one(String line, String suggestion) {
    assertThat(runLine(line)).isEqualTo(2);
    assertThat(errLines()).contains(suggestion);
  }

  @Test
  void with_json_errors_are_json_of_one_line() {
    service.isUnreachable = true;
    assertThat(runLine("tables list --json --server nobody:1")).isEqualTo(69);
    JsonObject error = error();
    assertThat(error.get("command").getAsString()).isEqualTo("tunnel tables list");
    assertThat(error.get("code").getAsString()).isEqualTo("NOT_REACHABLE");
    assertThat(error.get("message").getAsString()).isEqualTo("cannot connect to nobody:1: refused");
    assertThat(error.get("hint").getAsString()).startsWith("Is a server running there?");
    assertThat(error.get("exitCode").getAsInt()).isEqualTo(69);

    assertThat(runLine("tables describe --tabel \"x --json")).isEqualTo(2);
    assertThat(error().get("code").getAsString()).isEqualTo("USAGE");
    assertThat(error().get("hint").getAsString())
        .isEqualTo(
            "There is no option --tabel. Did you mean --table?; Try 'tunnel tables describe --help'.");
    assertThat(out.toString()).isEmpty();
  }

  private JsonObject error() {
    assertThat(errLines()).hasSize(1);
    return JsonParser.parseString(errLines().get(0)).getAsJsonObject().getAsJsonObject("error");
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
        "tables list --server http://h:7651|not the one of --http-port",
        "tables describe|Missing required option: '--table=TABLE'",
        "tables describe --table 1|table name '1' is not valid: 1 to 255 of A-Z a-z 0-9 _ -",
        "tables drop --table a.b --yes|table name 'a.b' is not valid",
        "tables get --table t|Missing required option: '--key=NAME=VALUE'",
        "tables get --table t --key 7|--key '7' is not NAME=VALUE",
        "tables get --table t --key a=1 --key a=2|key column 'a' is given twice",
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

  /** To read the annotations of all commands takes most of the time of a short command. */
  @Test
  void only_the_command_that_the_line_names_is_made_and_it_is_the_one_that_all_have() {
    Map<String, CommandLine> all = TunnelCommand.commandLine(Map.of()).getSubcommands();
    assertThat(all).hasSizeGreaterThan(15);
    all.forEach(
        (name, whole) -> {
          Map<String, CommandLine> made =
              TunnelCommand.commandLine(Map.of(), name).getSubcommands();
          assertThat(made.get(name).getUsageMessage()).isEqualTo(whole.getUsageMessage());
          assertThat(made).hasSize(name.equals("completion") ? all.size() : 1);
        });
    assertThat(TunnelCommand.commandLine(Map.of(), "--version").getSubcommands())
        .containsOnlyKeys("version");
    for (String line : List.of("help", "--help", "", "tabels", "--verbose")) {
      assertThat(TunnelCommand.commandLine(Map.of(), line).getSubcommands())
          .as(line)
          .containsOnlyKeys(all.keySet());
    }
  }
}
