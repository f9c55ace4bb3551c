package io.tunnel.cli.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Files that are given to 'tunnels import': a set of checkpoints, or what is wrong with it. */
@Tag("proof-fuzz")
class CheckpointFilesFuzzTest {

  @TempDir private Path directory;

  @FuzzTest(maxDuration = "")
  @DictionaryEntries({
    "{\\x22format\\x22:\\x22tunnel-checkpoints\\x22,\\x22version\\x22:1,\\x22exportedMs\\x22:1,\\x22checkpoints\\x22:{",
    "\\x22table\\x22:\\x22t\\x22,\\x22tunnel\\x22:\\x22n\\x22,",
    "\\x22channels\\x22:[{\\x22partition\\x22:1,\\x22type\\x22:\\x22Stream\\x22,\\x22checkpointed\\x22:5}]"
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
