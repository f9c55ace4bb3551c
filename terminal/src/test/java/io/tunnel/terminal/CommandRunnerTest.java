package io.tunnel.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.terminal.options.ServerOption;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

class CommandRunnerTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Command(name = "root", version = "root 1.2", mixinStandardHelpOptions = true)
  static final class Root {}

  /** Does what the test tells it. */
  @Command(name = "work", mixinStandardHelpOptions = true)
  static final class Work implements Callable<Integer> {
    private final Callable<Integer> body;

    @Option(names = "--rows")
    private int rows;

    @Mixin private ServerOption server;

    Work(Callable<Integer> body) {
      this.body = body;
    }

    @Override
    public Integer call() throws Exception {
      assertThat(server.endpoint()).isNotEmpty();
      assertThat(rows).isNotNegative();
      return body.call();
    }
  }

  private int run(Callable<Integer> body, String... arguments) {
    CommandLine root = new CommandLine(new Root()).addSubcommand(new Work(body));
    root.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    Diagnosis unreachable =
        trouble ->
            trouble instanceof IllegalStateException
                ? Optional.of(new CommandFailure(ExitCode.UNAVAILABLE, "no server"))
                : Optional.empty();
    return CommandRunner.run(root, Diagnosis.standard().or(unreachable), arguments);
  }

  private static Callable<Integer> failing(Exception trouble) {
    return () -> {
      throw trouble;
    };
  }

  @Test
  void the_command_decides_the_exit_code_when_nothing_goes_wrong() {
    assertThat(run(() -> 0, "work")).isZero();
    assertThat(run(() -> ExitCode.FAILED, "work")).isEqualTo(1);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void an_argument_that_could_not_be_decoded_is_refused_before_anything_is_done() {
    assertThat(run(() -> ExitCode.OK, "work", "--server", "k\uFFFD\uFFFDln:1")).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("root: the argument 'k\uFFFD\uFFFDln:1' has bytes that are not text in ")
        .contains("nothing was done", "LC_ALL=C.UTF-8");
  }

  @Test
  void an_expected_error_is_one_line_that_names_the_command() {
    int code = run(failing(CommandFailure.failed("no such table\nlook twice")), "work");
    assertThat(code).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString().lines()).containsExactly("root work: no such table; look twice");
  }

  @Test
  void the_programs_own_diagnosis_is_asked_after_the_standard_one() {
    assertThat(run(failing(new IllegalStateException("x")), "work")).isEqualTo(69);
    assertThat(err.toString().lines()).containsExactly("root work: no server");
  }

  @Test
  void files_that_fail_are_named() {
    assertThat(run(failing(new NoSuchFileException("a.csv")), "work")).isEqualTo(74);
    run(failing(new AccessDeniedException("b.csv")), "work");
    run(failing(new UncheckedIOException(new FileAlreadyExistsException("c.csv"))), "work");
    run(failing(new MalformedInputException(1)), "work");
    run(failing(new FileNotFoundException("d.csv (Is a directory)")), "work");
    run(failing(new IOException()), "work");
    run(failing(new NoSuchFileException("/no/dir/e.csv")), "work");
    assertThat(err.toString().lines())
        .containsExactly(
            "root work: there is no file 'a.csv'",
            "root work: 'b.csv' may not be read or written by this user",
            "root work: 'c.csv' exists already",
            "root work: the file is not text in UTF-8",
            "root work: d.csv (Is a directory)",
            "root work: a file could not be read or written",
            "root work: there is no directory '/no/dir' for '/no/dir/e.csv'");
  }

  @Test
  void being_interrupted_has_the_shells_code() {
    assertThat(run(failing(new InterruptedException()), "work")).isEqualTo(130);
  }

  @Test
  void a_fault_of_the_program_says_so_and_shows_its_stack_trace_only_when_asked() {
    assertThat(run(failing(new ArithmeticException("/ by zero")), "work")).isEqualTo(70);
    assertThat(err.toString().lines())
        .containsExactly(
            "root work: ArithmeticException: / by zero"
                + " (a fault of this program; -v shows where)");

    for (String[] arguments : new String[][] {{"work", "-v"}, {"-v", "work"}}) {
      err.getBuffer().setLength(0);
      assertThat(run(failing(new ArithmeticException("/ by zero")), arguments)).isEqualTo(70);
      assertThat(err.toString()).contains("\tat ").doesNotContain("-v shows where");
    }
  }

  @Test
  void an_error_of_the_machine_still_ends_with_a_code() {
    Callable<Integer> body =
        () -> {
          throw new OutOfMemoryError("heap");
        };
    assertThat(run(body, "work")).isEqualTo(70);
    assertThat(err.toString().lines())
        .containsExactly("root: OutOfMemoryError: heap (a fault of this program; -v shows where)");
    assertThat(run(body, "work", "-v")).isEqualTo(70);
    assertThat(err.toString()).contains("\tat ");
  }

  @Test
  void a_wrong_command_line_says_what_was_probably_meant() {
    assertThat(run(() -> 0, "worked")).isEqualTo(2);
    assertThat(err.toString())
        .contains("root: Unmatched argument", "'worked'", "Did you mean", "root work", "--help");

    err.getBuffer().setLength(0);
    assertThat(run(() -> 0, "xyz")).isEqualTo(2);
    assertThat(err.toString()).contains("root: Unmatched argument", "Subcommands: work");

    err.getBuffer().setLength(0);
    assertThat(run(() -> 0, "work", "--row", "3")).isEqualTo(2);
    assertThat(err.toString())
        .contains("root work: Unknown option", "--rows", "Try 'root work --help'.");
  }

  @Test
  void an_option_of_the_wrong_type_is_a_usage_error() {
    assertThat(run(() -> 0, "work", "--rows", "many")).isEqualTo(2);
    assertThat(err.toString()).contains("'--rows'", "'many' is not a whole number");
    for (String wrong : new String[] {"\u0663", "3d", "0x3", "99999999999", ""}) {
      assertThat(run(() -> 0, "work", "--rows=" + wrong)).isEqualTo(ExitCode.USAGE);
      assertThat(err.toString()).contains("'" + wrong + "' is not a whole number");
    }
  }

  @Test
  void a_usage_error_that_only_the_command_sees_looks_like_any_other() {
    assertThat(run(failing(CommandFailure.usage("--from is over --to")), "work")).isEqualTo(2);
    assertThat(err.toString().lines())
        .containsExactly("root work: --from is over --to", "Try 'root work --help'.");
  }

  @Test
  void help_lists_the_exit_codes_and_every_command_knows_the_version() {
    assertThat(run(() -> 1, "work", "--help")).isZero();
    assertThat(out.toString())
        .contains("Exit codes:", "69", "not reachable", "--verbose", "--server=HOST:PORT");

    out.getBuffer().setLength(0);
    assertThat(run(() -> 1, "work", "--version")).isZero();
    assertThat(out.toString().strip()).isEqualTo("root 1.2");
  }

  @Test
  void a_server_that_is_no_endpoint_is_refused() {
    assertThat(run(() -> 0, "work", "--server", "host:99999")).isEqualTo(2);
    assertThat(err.toString()).contains("root work: --server 'host:99999' is not HOST:PORT");
    assertThat(err.toString()).doesNotContain("HTTP");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"a:1,b:2|0|", "a, b|0|", "a:1,|2|--server ''", "a:1,b:0,c|2|--server 'b:0'"})
  void several_nodes_have_commas_between_them(String nodes, int exitCode, String message) {
    assertThat(run(() -> 0, "work", "--server", nodes)).isEqualTo(exitCode);
    assertThat(err.toString()).contains(message == null ? "" : message);
  }

  @Test
  void endpoints_are_hosts_with_or_without_a_port() {
    assertThat(
            new String[] {"localhost", "h:1", "127.0.0.1:65535", "[::1]", "[::1]:7650", "a.b-c:80"})
        .allMatch(ServerOption::isEndpoint);
    assertThat(
            new String[] {
              "", ":1", "h:", "h:0", "h:65536", "h:x", "a b:1", "::1", "[]:1", "[::1]x:1", "h:1:2"
            })
        .noneMatch(ServerOption::isEndpoint);
  }
}
