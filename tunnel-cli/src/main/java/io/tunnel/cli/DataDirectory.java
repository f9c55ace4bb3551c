package io.tunnel.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Where the demo's server keeps its data and its log; temporary unless the user names a place. */
final class DataDirectory {

  private final Path temporary;
  private final Path data;

  /** The given place for data, or a new temporary directory, where the server's log is anyway. */
  DataDirectory(Optional<Path> given) throws IOException {
    temporary = Files.createTempDirectory("tunnel-demo-");
    data = given.orElse(temporary.resolve("data"));
  }

  Path data() {
    return data;
  }

  /** Where what a server of that name prints goes. */
  Path log(String name) {
    return temporary.resolve(name + ".log");
  }

  /** Where all logs are. */
  Path logs() {
    return temporary;
  }

  /** Bytes of all files of the data; a file that vanishes meanwhile does not count. */
  long bytes() throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      return files.filter(Files::isRegularFile).mapToLong(DataDirectory::size).sum();
    } catch (UncheckedIOException vanished) {
      return 0;
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException vanished) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes what was temporary, which is never what the user named. */
  void delete() throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> files = Files.walk(temporary)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : deepestFirst) {
      Files.deleteIfExists(file);
    }
  }
}
