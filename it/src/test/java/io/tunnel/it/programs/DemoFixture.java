package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A demo as a user starts it, and what it has to say at its end. */
abstract class DemoFixture {

  private static final Pattern SUMMARY = Pattern.compile("\\{\"rowsWritten\".*}");

  @RegisterExtension final Stage stage = new Stage();

  ChildProcess demo(String... options) {
    List<String> arguments = new ArrayList<>(List.of("demo"));
    arguments.addAll(List.of(options));
    return stage.child("demo", ServerProcess.MAIN, arguments);
  }

  static JsonObject verified(ChildProcess demo) {
    assertThat(demo.awaitExit()).as(demo.transcript()).isZero();
    String line = demo.lastLine(SUMMARY).orElseThrow(AssertionError::new).group();
    JsonObject summary = JsonParser.parseString(line).getAsJsonObject();
    assertThat(summary.get("rowsConsumed").getAsLong())
        .isEqualTo(summary.get("rowsWritten").getAsLong());
    assertThat(summary.get("orderViolations").getAsLong()).isZero();
    assertThat(summary.get("duplicates").getAsLong()).isZero();
    assertThat(summary.get("verified").getAsBoolean()).isTrue();
    for (String rate : List.of("writeRowsPerSecond", "readRowsPerSecond")) {
      assertThat(summary.get(rate).getAsDouble()).as(rate).isPositive();
    }
    assertThat(summary.get("latencyP99Ms").getAsDouble()).isNotNegative();
    return summary;
  }

  /** The directory of a running demo, once the demo has named the directory. */
  static Path directory(ChildProcess demo) {
    Pattern said = Pattern.compile("starting .* on (\\S+)/data\n");
    Poll.until("does not start", () -> said.matcher(demo.transcript()).find());
    Matcher directory = said.matcher(demo.transcript());
    assertThat(directory.find()).isTrue();
    return Path.of(directory.group(1));
  }

  /** On a slow machine a demo may end before all of its files are gone: the next demo goes on. */
  void interrupt(ChildProcess demo, Path directory) {
    List<ProcessHandle> children = demo.descendants();
    demo.terminate();
    assertThat(demo.awaitExit()).as(demo.transcript()).isEqualTo(130);
    // They were killed; what inherits them may need a moment to see it.
    Poll.until("something is left", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    if (demo.transcript().contains("could not remove all of " + directory + " in time")) {
      JsonObject unused = verified(demo("--rows", "1000", "--json"));
    }
    assertThat(directory).as(demo.transcript()).doesNotExist();
    assertThat(demo.transcript())
        .containsOnlyOnce("tunnel demo: interrupted")
        .doesNotContain("\tat ", "Exception", "VERIFIED", "kept");
  }
}
