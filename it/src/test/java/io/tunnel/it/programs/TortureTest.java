package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The shortest torture: a few kills and suspensions of a real server, and what was told holds. */
class TortureTest {

  private static final Pattern SUMMARY = Pattern.compile("\\{\"seed\".*}");

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void nothing_is_lost_by_kills_and_suspensions(@TempDir Path directory) throws Exception {
    Path history = directory.resolve("history");
    ChildProcess torture =
        stage.child(
            "torture",
            ServerProcess.MAIN,
            List.of(
                "torture",
                "--minutes",
                "0.1",
                "--seed",
                "1",
                "--faults",
                "kill,suspend",
                "--work",
                directory.toString(),
                "--history",
                history.toString(),
                "--json"));
    assertThat(torture.awaitExit()).as(torture.transcript()).isZero();
    String line = torture.lastLine(SUMMARY).orElseThrow(AssertionError::new).group();
    JsonObject summary = JsonParser.parseString(line).getAsJsonObject();
    assertThat(summary.get("rounds").getAsInt()).isPositive();
    assertThat(summary.get("kills").getAsInt() + summary.get("suspensions").getAsInt())
        .isEqualTo(summary.get("rounds").getAsInt());
    assertThat(summary.get("operationsAcknowledged").getAsLong()).isPositive();
    assertThat(summary.get("lost").getAsLong()).isZero();
    assertThat(summary.get("orderViolations").getAsLong()).isZero();
    assertThat(summary.get("verified").getAsBoolean()).isTrue();
    assertThat(Files.readString(history)).contains("\"type\":\"invoke\"", "\"type\":\"ok\"");
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactly(history);
    }
  }
}
