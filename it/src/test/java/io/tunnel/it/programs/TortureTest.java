package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A few kills and suspensions of a real server, and what was told holds. */
@Tag("proof-programs")
class TortureTest extends TortureFixture {

  @Test
  void nothing_is_lost_by_kills_and_suspensions(@TempDir Path directory) throws Exception {
    Path history = directory.resolve("history");
    JsonObject summary = torture(directory, "--history", history.toString());
    assertThat(summary.get("kills").getAsInt() + summary.get("suspensions").getAsInt())
        .isEqualTo(summary.get("rounds").getAsInt());
    assertThat(Files.readString(history)).contains("\"type\":\"invoke\"", "\"type\":\"ok\"");
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).containsExactly(history);
    }
  }
}
