package io.tunnel.server.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksLibraryTest {

  @TempDir private Path temporary;

  /** In a process of its own, since a process loads it once; and this one has to be killed. */
  @Test
  void a_process_that_is_killed_leaves_no_file_behind() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporary,
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                Loads.class.getName())
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(process.inputReader().readLine()).isEqualTo("loaded");
    } finally {
      process.destroyForcibly().waitFor();
    }
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left).isEmpty();
    }
  }

  /** Loads it and waits. */
  static final class Loads {

    private Loads() {}

    public static void main(String[] args) throws IOException {
      RocksLibrary.load();
      System.out.println("loaded");
      var unused = System.in.read();
    }
  }
}
