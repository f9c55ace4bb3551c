package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.programs.torture.hostile.Attack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The shortest hostile torture, as a process of its own. */
@Tag("proof-hostile")
class HostileTortureTest {

  private static final Pattern SUMMARY = Pattern.compile("\\{\"seed\".*}");

  @RegisterExtension final Stage stage = new Stage();

  private JsonObject torture(Path directory) {
    List<String> arguments =
        new ArrayList<>(List.of("torture", "--hostile", "--time", "4s", "--connections", "50"));
    // The tests beside it keep all processors busy, and attackers that come last would get none.
    arguments.addAll(
        List.of("--equal-turn", "--seed", "1", "--work", directory.toString(), "--json"));
    ChildProcess torture = stage.child("torture", ServerProcess.MAIN, arguments);
    assertThat(torture.awaitExit()).as(torture.transcript()).isZero();
    String line = torture.lastLine(SUMMARY).orElseThrow(AssertionError::new).group();
    return JsonParser.parseString(line).getAsJsonObject();
  }

  @Test
  void nothing_is_obtained_and_an_ordinary_client_goes_on(@TempDir Path directory)
      throws Exception {
    JsonObject summary = torture(directory);
    assertThat(summary.get("verified").getAsBoolean()).isTrue();
    assertThat(summary.get("obtained").getAsInt()).isZero();
    assertThat(summary.get("unhealthy").getAsInt()).isZero();
    assertThat(summary.get("rounds").getAsLong()).isPositive();
    List<String> tried = new ArrayList<>();
    for (JsonElement attack : summary.get("attacks").getAsJsonArray()) {
      tried.add(attack.getAsJsonObject().get("attack").getAsString());
    }
    assertThat(tried).isSubsetOf(Stream.of(Attack.values()).map(Attack::text).toList());
    assertThat(tried).hasSizeGreaterThan(Attack.values().length / 2);
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }
}
