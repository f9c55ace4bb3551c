package io.tunnel.it.releases;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * This build opens the data of every release, and reads the same rows and changes as the release.
 */
class ReleasesTest {

  /** When an export was made, and during which life of the positions: each start may begin one. */
  private static final Set<String> OF_ITS_TIME = Set.of("exportedMs", "incarnation");

  @TempDir Path directory;

  static Stream<ReleaseFixture> releases() throws IOException {
    return ReleaseFixture.all();
  }

  @Test
  void there_is_a_fixture() throws IOException {
    assertThat(releases()).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("releases")
  void a_data_directory_goes_on(ReleaseFixture release) throws IOException {
    Path data = directory.resolve("data");
    Packed.unpack(release.data(), data);
    assertGoesOn(release, data);
  }

  @ParameterizedTest
  @MethodSource("releases")
  void a_backup_is_restored_and_goes_on(ReleaseFixture release) throws IOException {
    Path backup = directory.resolve("backup");
    Path data = directory.resolve("data");
    Packed.unpack(release.backup(), backup);
    Operator.run("restore", "--from=" + backup, "--data=" + data);
    assertGoesOn(release, data);
  }

  @ParameterizedTest
  @MethodSource("releases")
  void exports_are_imported(ReleaseFixture release) throws IOException {
    Path data = directory.resolve("data");
    Packed.unpack(release.data(), data);
    try (Operator operator = new Operator(data)) {
      // Moves the progress, so that the import has something to move back.
      operator.ask(
          "tunnels", "seek", "--table=orders", "--tunnel=Stream", "--to=earliest", "--yes");
      operator.ask(
          "tunnels",
          "import",
          "--table=orders",
          "--tunnel=Stream",
          "--yes",
          "--in=" + release.progress("Stream"));
      assertThat(consumed(operator)).isEqualTo(release.changes() - release.left());
      consume(operator, release.left());
      assertThat(consumed(operator)).isEqualTo(release.changes());
      assertImported(operator, release.rows("orders"));
      assertImported(operator, inOrder(release.changes("orders")));
    }
  }

  /**
   * The changes in the order of their positions, as {@code tail} prints the changes of a partition.
   */
  private Path inOrder(Path changes) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(changes));
    lines.sort(
        Comparator.comparingLong((String change) -> member(change, "partition"))
            .thenComparingLong(change -> member(change, "position")));
    return Files.write(directory.resolve("changes.jsonl"), lines);
  }

  private static long member(String change, String name) {
    return JsonParser.parseString(change).getAsJsonObject().get(name).getAsLong();
  }

  /** An import is a write as any other: the lines of the export do not say when it commits. */
  private static void assertImported(Operator operator, Path export) {
    long beforeMs = System.currentTimeMillis();
    operator.ask("partition", "create", "--table=copy", "--key=id:INTEGER");
    operator.ask("tables", "put", "--table=copy", "--from=" + export);
    assertThat(ReleaseFixture.rows(operator, "copy"))
        .isEqualTo(ReleaseFixture.rows(operator, "orders"));
    assertThat(ReleaseFixture.changes(operator, "copy"))
        .as("changes of the import of %s", export)
        .isNotEmpty()
        .allSatisfy(
            change ->
                assertThat(member(change, "commitMicros"))
                    .isGreaterThanOrEqualTo(beforeMs * 1_000));
    operator.ask("tables", "drop", "--table=copy", "--yes");
  }

  private static void assertGoesOn(ReleaseFixture release, Path data) throws IOException {
    try (Operator operator = new Operator(data)) {
      for (String table : ReleaseFixture.TABLES) {
        assertSays(release.rows(table), ReleaseFixture.rows(operator, table));
        assertSays(release.changes(table), ReleaseFixture.changes(operator, table));
      }
      for (String tunnel : ReleaseFixture.TUNNELS) {
        assertSays(release.progress(tunnel), ReleaseFixture.progress(operator, tunnel));
      }
      operator.ask("tables", "put", "--table=orders", "--key=id=7", "--set=note=later");
      consume(operator, release.left() + 1);
      assertThat(consumed(operator)).as("the new change, too").isEqualTo(release.changes() + 1);
    }
    Operator.run("doctor", "--data=" + data);
  }

  /** A worker of the tunnel {@code Stream} gets and checkpoints so many changes. */
  private static void consume(Operator operator, int changes) {
    List<String> lines =
        operator.ask(
            "perf",
            "--table=orders",
            "--tunnel=Stream",
            "--rows=" + changes,
            "--until-idle=60s",
            "--json");
    JsonObject summary = JsonParser.parseString(lines.get(lines.size() - 1)).getAsJsonObject();
    assertThat(summary.get("rows").getAsInt()).isEqualTo(changes);
  }

  /** The checkpointed changes of the tunnel {@code Stream}. */
  private static int consumed(Operator operator) {
    String progress = String.join("", ReleaseFixture.progress(operator, "Stream"));
    JsonObject checkpoints =
        JsonParser.parseString(progress).getAsJsonObject().getAsJsonObject("checkpoints");
    return checkpoints.getAsJsonArray("channels").asList().stream()
        .mapToInt(channel -> channel.getAsJsonObject().get("position").getAsInt())
        .sum();
  }

  /** A later build may say more: each member of the release has the same value. */
  private static void assertSays(Path written, List<String> today) throws IOException {
    List<String> before = Files.readAllLines(written);
    if (written.toString().endsWith(".jsonl")) {
      assertThat(today).as("lines of %s", written).hasSameSizeAs(before);
      for (int i = 0; i < before.size(); i++) {
        assertHas(
            JsonParser.parseString(before.get(i)),
            JsonParser.parseString(today.get(i)),
            written + ":" + i);
      }
    } else {
      assertHas(
          JsonParser.parseString(String.join("\n", before)),
          JsonParser.parseString(String.join("\n", today)),
          written.toString());
    }
  }

  private static void assertHas(JsonElement before, JsonElement today, String path) {
    if (before instanceof JsonObject members && today instanceof JsonObject others) {
      for (String name : members.keySet()) {
        if (OF_ITS_TIME.contains(name)) {
          continue;
        }
        assertThat(others.has(name)).as("%s has %s", path, name).isTrue();
        assertHas(members.get(name), others.get(name), path + "." + name);
      }
    } else if (before instanceof JsonArray elements && today instanceof JsonArray others) {
      assertThat(others).as(path).hasSameSizeAs(elements);
      for (int i = 0; i < elements.size(); i++) {
        assertHas(elements.get(i), others.get(i), path + "[" + i + "]");
      }
    } else {
      assertThat(today).as(path).isEqualTo(before);
    }
  }
}
