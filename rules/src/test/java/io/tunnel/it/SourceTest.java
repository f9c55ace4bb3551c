package io.tunnel.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules about the text of the sources. */
class SourceTest {

  private static final int FILE_LINES_MAX = 500;

  @Test
  void no_source_file_is_longer_than_anyone_can_read_over_coffee() throws IOException {
    Map<Path, Integer> tooLong = new TreeMap<>();
    List<Path> sources = mainSources();
    for (Path source : sources) {
      int lines = Files.readAllLines(source).size();
      if (lines > FILE_LINES_MAX) {
        tooLong.put(source, lines);
      }
    }
    assertThat(sources).isNotEmpty();
    assertThat(tooLong).as("files of more than %d lines", FILE_LINES_MAX).isEmpty();
  }

  private static List<Path> mainSources() throws IOException {
    try (Stream<Path> modules = Files.list(projectRoot())) {
      List<Path> roots =
          modules
              .map(module -> module.resolve("src/main/java"))
              .filter(Files::isDirectory)
              .toList();
      return roots.stream().flatMap(SourceTest::javaFilesBelow).toList();
    }
  }

  private static Stream<Path> javaFilesBelow(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Tests run in the directory of their module, in an editor also in that of the project. */
  private static Path projectRoot() {
    Path here = Path.of("").toAbsolutePath();
    return Files.isDirectory(here.resolve("tunnel-protocol")) ? here : here.getParent();
  }
}
