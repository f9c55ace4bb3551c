package io.tunnel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Files that are given to 'tunnels import': a set of checkpoints, or what is wrong with it. */
class CheckpointFilesFuzzTest {

  @TempDir private Path directory;

  @FuzzTest(maxDuration = "")
  @DictionaryEntries({
    "{\"format\":\"tunnel-checkpoints\",\"version\":1,\"exportedMs\":1,\"checkpoints\":{",
    "\"table\":\"t\",\"tunnel\":\"n\",",
    "\"channels\":[{\"partition\":1,\"type\":\"Stream\",\"checkpointed\":5}]"
  })
  void a_file_is_a_set_of_checkpoints_or_refused(byte[] bytes) throws IOException {
    Path file = directory.resolve("checkpoints.json");
    Files.write(file, bytes);
    CheckpointFile read;
    try {
      read = CheckpointFile.read(file);
    } catch (CommandFailure e) {
      assertThat(e.getMessage()).contains("checkpoints.json");
      return;
    }
    Files.writeString(file, read.text());
    assertThat(CheckpointFile.read(file)).isEqualTo(read);
  }
}
