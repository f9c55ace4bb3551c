package io.tunnel.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Each exit code by each way to it, and what is printed with it. */
class EachExitCodeTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Command(name = "root")
  static final class Root {}

  /** Does what the test tells it. */
  @Command(name = "work")
  static final class Work implements Callable<Integer> {
    private final Callable<Integer> body;

    @Option(names = "--json")
    private boolean isJson;

    Work(Callable<Integer> body) {
      this.body = body;
    }

    @Override
    public Integer call() throws Exception {
      int code = body.call();
      assertThat(isJson).isIn(true, false);
      return code;
    }
  }

  static Stream<Arguments> codes() throws IllegalAccessException {
    Map<String, Integer> codes = new LinkedHashMap<>();
    for (Field field : ExitCode.class.getDeclaredFields()) {
      // Tools that measure coverage add fields of their own.
      if (field.getType() == int.class && field.getName().matches("[A-Z_]+")) {
        codes.put(field.getName(), field.getInt(null));
      }
    }
    assertThat(codes).hasSizeGreaterThan(10);
    assertThat(codes.values()).doesNotHaveDuplicates();
    return codes.entrySet().stream().map(code -> Arguments.of(code.getKey(), code.getValue()));
  }

  private int run(Callable<Integer> body, String... options) {
    String[] arguments =
        Stream.concat(Stream.of("work"), Arrays.stream(options)).toArray(String[]::new);
    CommandLine root = new CommandLine(new Root()).addSubcommand(new Work(body));
    root.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return CommandRunner.run(root, Diagnosis.standard(), arguments);
  }

  @ParameterizedTest
  @MethodSource("codes")
  void a_code_is_the_same_when_it_is_returned_and_when_it_is_thrown(String name, int code) {
    assertThat(ExitCode.name(code)).isEqualTo(name);
    assertThat(ExitCode.help()).containsKey(Integer.toString(code));
    assertThat(run(() -> code)).isEqualTo(code);
    assertThat(err.toString()).isEmpty();
    Callable<Integer> failing =
        () -> {
          throw new CommandFailure(code, name, "why", "try again");
        };
    assertThat(run(failing)).isEqualTo(code);
    assertThat(err.toString().lines()).first().isEqualTo("root work: why. try again");
    assertThat(err.toString().lines()).hasSize(code == ExitCode.USAGE ? 2 : 1);
    err.getBuffer().setLength(0);
    assertThat(run(failing, "--json")).isEqualTo(code);
    boolean isUsage = code == ExitCode.USAGE;
    String message = isUsage ? "why. try again" : "why";
    String hint = isUsage ? "Try 'root work --help'." : "try again";
    assertThat(err.toString().strip())
        .isEqualTo(
            "{\"error\":{\"command\":\"root work\",\"code\":\"%s\",".formatted(name)
                + "\"message\":\"%s\",\"hint\":\"%s\",".formatted(message, hint)
                + "\"exitCode\":%d}}".formatted(code));
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void a_number_that_is_no_code_has_itself_as_a_name() {
    assertThat(ExitCode.name(99)).isEqualTo("99");
  }

  /** Programs parse it, whatever a message quotes. */
  @Test
  void an_error_in_json_escapes_what_json_does_not_allow_and_nothing_else() {
    String odd = "a\"b\\c\u0000\u001f ~\u007f\u009f\u00a0ö\ud83d\ude00";
    assertThat(ErrorJson.of("c", new CommandFailure(ExitCode.IO, odd)))
        .isEqualTo(
            "{\"error\":{\"command\":\"c\",\"code\":\"IO\",\"message\":\"a\\\"b\\\\c\\u0000\\u001f"
                + " ~\\u007f\\u009f\u00a0ö\\ud83d\\ude00\",\"exitCode\":74}}");
  }

  @Test
  void a_range_has_both_its_ends() {
    for (long value : new long[] {-3, 0, 7}) {
      assertThatCode(() -> CommandFailure.requireRange("--n", value, -3, 7))
          .doesNotThrowAnyException();
    }
    for (long value : new long[] {-4, 8, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> CommandFailure.requireRange("--n", value, -3, 7))
          .hasMessage("--n is -3 to 7, not " + value)
          .isInstanceOfSatisfying(
              CommandFailure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE));
    }
  }

  @Test
  void a_place_is_unusable_by_its_disk_or_by_what_it_is() {
    assertThat(CommandFailure.ofPlace(new NotDirectoryException("x")).exitCode())
        .isEqualTo(ExitCode.IO);
    assertThat(CommandFailure.ofPlace(new NoSuchFileException("x")).getMessage())
        .isEqualTo("there is no file 'x'");
    assertThat(CommandFailure.ofPlace(new IOException("x is none")))
        .satisfies(e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
        .hasMessage("x is none");
    assertThat(Diagnosis.ofFile(new IOException()))
        .isEqualTo("a file could not be read or written");
    assertThat(Diagnosis.ofFile(new IOException("full"))).isEqualTo("full");
  }

  /** What was printed is lost, so the command has not done what it says. */
  @Test
  void a_command_whose_output_cannot_be_written_has_failed_by_its_disk() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int next) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    for (int code : new int[] {ExitCode.OK, ExitCode.NOT_FOUND}) {
      CommandLine root =
          new CommandLine(new Root())
              .addSubcommand(new Work(() -> code))
              .setErr(new PrintWriter(err));
      try (DataWriter data = new DataWriter(full)) {
        root.setOut(data);
        data.println("a row");
        assertThat(CommandRunner.run(root, Diagnosis.standard(), "work"))
            .isEqualTo(code == ExitCode.OK ? ExitCode.IO : code);
      }
    }
    assertThat(err.toString().strip())
        .isEqualTo(
            "root: standard output cannot be written: No space left on device; what was printed is incomplete");
  }

  @Test
  void a_usage_error_shows_the_place_and_what_was_parsed_is_returned() {
    assertThat(CommandFailure.checkUsage(() -> 7)).isEqualTo(7);
    assertThatThrownBy(
            () ->
                CommandFailure.checkUsage(
                    () -> {
                      throw new IllegalArgumentException("no number");
                    }))
        .isInstanceOfSatisfying(
            CommandFailure.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE))
        .hasMessage("no number");
    assertThat(
            run(
                () -> {
                  throw CommandFailure.usage("wrong", List.of("a = (", "    ^"));
                }))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("wrong", "a = (", "    ^");
  }
}
