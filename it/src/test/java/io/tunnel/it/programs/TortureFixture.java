package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The shortest torture, as a process of its own. */
abstract class TortureFixture {

  private static final Pattern SUMMARY = Pattern.compile("\\{\"seed\".*}");

  @RegisterExtension final Stage stage = new Stage();

  /** The summary, once all promises in the summary hold. */
  final JsonObject torture(Path directory, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of("torture", "--minutes", "0.1", "--seed", "1", "--faults", "kill,suspend"));
    arguments.addAll(List.of("--work", directory.toString(), "--json"));
    arguments.addAll(List.of(more));
    ChildProcess torture = stage.child("torture", ServerProcess.MAIN, arguments);
    assertThat(torture.awaitExit()).as(torture.transcript()).isZero();
    String line = torture.lastLine(SUMMARY).orElseThrow(AssertionError::new).group();
    JsonObject summary = JsonParser.parseString(line).getAsJsonObject();
    assertThat(summary.get("rounds").getAsInt()).isPositive();
    assertThat(summary.get("operationsAcknowledged").getAsLong()).isPositive();
    assertThat(summary.get("lost").getAsLong()).isZero();
    assertThat(summary.get("orderViolations").getAsLong()).isZero();
    assertThat(summary.get("verified").getAsBoolean()).isTrue();
    return summary;
  }
}
