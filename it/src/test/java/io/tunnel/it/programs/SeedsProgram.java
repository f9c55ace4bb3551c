package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * {@code bench seeds} with a workload of a test, as a process.
 *
 * @param work where the run makes its data, and removes the data
 */
record SeedsProgram(ChildProcess bench, Path work) {

  private static final Pattern RESULT = Pattern.compile("\\{\"bench\":\"seeds\".*}");
  private static final Duration RUN_MAX = Duration.ofMinutes(8);

  /**
   * Starts a run.
   *
   * @param directory gets the workload's file and the report
   */
  static SeedsProgram start(Stage stage, Path directory, Path work, String workload)
      throws IOException {
    Path file = Files.writeString(directory.resolve("workload.json"), workload);
    ChildProcess bench =
        stage.child(
            "bench",
            ServerProcess.MAIN,
            List.of(
                "bench",
                "seeds",
                "--workload",
                file.toString(),
                "--work",
                work.toString(),
                "--out",
                directory.resolve("report").toString()));
    return new SeedsProgram(bench, work);
  }

  /** The result of the whole run, which succeeds and leaves no data. */
  JsonObject result() throws IOException {
    Poll.until(RUN_MAX, () -> !bench.isAlive(), bench::transcript);
    assertThat(bench.awaitExit()).as(bench.transcript()).isZero();
    assertThat(work).isEmptyDirectory();
    return JsonParser.parseString(bench.lastLine(RESULT).orElseThrow(AssertionError::new).group())
        .getAsJsonObject();
  }

  /** Interrupts the run while servers run: no process and no data stays. */
  void interrupt() throws IOException {
    Poll.until(RUN_MAX, () -> bench.descendants().size() >= 2, bench::transcript);
    List<ProcessHandle> children = bench.descendants();
    bench.terminate();
    assertThat(bench.awaitExit()).as(bench.transcript()).isEqualTo(130);
    Poll.until("something is left", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    assertThat(work).isEmptyDirectory();
  }
}
