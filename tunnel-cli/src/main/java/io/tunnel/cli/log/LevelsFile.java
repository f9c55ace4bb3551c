package io.tunnel.cli.log;

import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** A file of levels that an operator writes while the program runs; without it nothing is said. */
final class LevelsFile {

  static final int BYTES_MAX = 64 << 10;

  private final Path path;
  private String lastText = "";

  LevelsFile(Path path) {
    this.path = path;
  }

  /**
   * What the file says, if that is not what it said the last time; a file that is gone says
   * nothing.
   *
   * @throws IOException when it cannot be read, of which is told only once
   * @throws IllegalArgumentException when it is not right, of which is told only once
   */
  Optional<LogLevels> look() throws IOException {
    String text;
    try {
      text = read();
    } catch (IOException e) {
      text = e.toString();
      if (!text.equals(lastText)) {
        lastText = text;
        throw new IOException("cannot read " + path + ": " + Diagnosis.ofFile(e), e);
      }
    }
    if (text.equals(lastText)) {
      return Optional.empty();
    }
    lastText = text;
    try {
      return Optional.of(LogLevels.parseLines(text));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(path + ": " + e.getMessage(), e);
    }
  }

  private String read() throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(BYTES_MAX + 1);
      if (bytes.length > BYTES_MAX) {
        throw new IOException("it has more than " + BYTES_MAX + " bytes");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (FileSystemException e) {
      // Also when a file stands where its directory should: the server has more to say about that.
      Path directory = path.toAbsolutePath().getParent();
      if (e instanceof NoSuchFileException || !Files.isDirectory(directory)) {
        return "";
      }
      throw e;
    }
  }
}
