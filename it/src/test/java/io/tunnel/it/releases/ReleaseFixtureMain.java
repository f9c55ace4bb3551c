package io.tunnel.it.releases;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Writes the fixture of a release with this build. Argument: the version. */
final class ReleaseFixtureMain {

  private ReleaseFixtureMain() {}

  public static void main(String[] args) throws Exception {
    Path work = Files.createTempDirectory("release");
    ReleaseFixture fixture = ReleaseFixture.of(args[0]);
    fixture.clear();
    fixture.write(work);
    try (Stream<Path> files = Files.walk(work)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.delete(file);
      }
    }
    System.exit(0); // threads of the commands may still run
  }
}
