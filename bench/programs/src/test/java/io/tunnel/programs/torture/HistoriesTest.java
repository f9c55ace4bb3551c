package io.tunnel.programs.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoriesTest {

  @TempDir Path directory;

  /** A checker of histories would otherwise pass on the half that is there. */
  @Test
  void a_history_on_a_full_disk_is_no_success() throws IOException {
    Histories full = new Histories(Optional.of(Path.of("/dev/full")), () -> 1);
    full.invoke(1, 2, 3);
    assertThatThrownBy(full::close)
        .isInstanceOfSatisfying(
            CommandFailure.class, failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.IO))
        .hasMessage(
            "the history in /dev/full is incomplete: the file takes no more, as on a full disk");
  }

  @Test
  void a_history_has_a_line_for_each_event() throws IOException {
    Path file = directory.resolve("history");
    try (Histories histories = new Histories(Optional.of(file), () -> 1)) {
      histories.invoke(1, 2, 3);
    }
    assertThat(Files.readString(file))
        .isEqualTo(
            "{\"atNanos\":1,\"client\":1,\"type\":\"invoke\",\"life\":0,\"key\":2,\"value\":3}\n");
  }
}
