package io.tunnel.programs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class DemoCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine command =
        new CommandLine(new DemoCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    return CommandRunner.run(command, Diagnosis.standard(), arguments);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--partitions 0 | --partitions is 1 to 1024, not 0",
        "--partitions 1025 | --partitions is 1 to 1024, not 1025",
        "--workers 0 | --workers is 1 to 256, not 0",
        "--threads 300 | --threads is 1 to 256, not 300",
        "--rows 0 | --rows is at least 1, not 0",
        "--keys 0 | --keys is at least 1, not 0",
        "--from a.csv --keys 9 | without --from",
        "--key a | give --from too",
        "--server h:1 --data d | without --server",
        "--nodes 1 | --nodes is 2 to 9, not 1",
        "--nodes 10 | --nodes is 2 to 9, not 10",
        "--nodes 3 --server h:1 | not both",
        "--from a.txt | end with .csv, .tsv or .jsonl",
        "--from a.csv --types a | 'a' is not COLUMN:TYPE",
        "--rows many | 'many' is not a whole number",
        "--nonsense | Unknown option",
      })
  void a_bad_option_ends_with_2_and_says_what_would_be_right(String arguments, String message) {
    assertThat(run(arguments.strip().split(" "))).isEqualTo(2);
    assertThat(err.toString()).contains(message.strip());
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void a_file_that_is_not_there_ends_with_the_code_of_files() {
    assertThat(run("--from", "not-there.csv")).isEqualTo(74);
    assertThat(err.toString()).contains("not-there.csv");
  }

  @Test
  void a_demo_that_fails_leaves_nothing_on_somebodys_server(@TempDir Path directory)
      throws IOException {
    Path rows = Files.writeString(directory.resolve("rows.csv"), "id,n\n1,a\n2,b,c,d\n");
    try (LocalServer server = new LocalServer()) {
      assertThat(run("--server", server.endpoint(), "--from", rows.toString(), "--key", "id"))
          .isEqualTo(1);
      assertThat(err.toString()).contains("line 3");
      assertThat(server.client().listTables()).isEmpty();
    }
  }

  @Test
  void help_names_every_option() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .contains("--partitions", "--rows", "--workers", "--from", "--json", "--keep", "--server");
  }
}
