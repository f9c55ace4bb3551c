package io.tunnel.terminal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name {@code -}, which stands for standard input or output wherever a file is named. */
public final class StandardStream {

  private static final Path NAME = Path.of("-");

  private StandardStream() {}

  /** Whether that file is standard input or output. */
  public static boolean is(Path file) {
    return file.equals(NAME);
  }

  /** A file that can be opened where that one was named, for readers that know only files. */
  public static Path device(Path file) {
    return is(file) ? Path.of("/dev/stdin") : file;
  }

  /**
   * Opens a file, which may be a pipe: a reader that asks a pipe how much of it is there gets no
   * error, but 0.
   */
  public static InputStream open(Path file) throws IOException {
    InputStream in = Files.newInputStream(file);
    return Files.isRegularFile(file) ? in : new PipeStream(in);
  }

  /** What messages call it. */
  public static String name(Path file) {
    return is(file) ? "standard input" : "'" + file + "'";
  }

  /**
   * All of a text file, or of standard input.
   *
   * @throws CommandFailure when it is a directory, too long, or not text in UTF-8
   */
  public static String read(Path file, long bytesMax) throws IOException {
    if (!is(file) && Files.isDirectory(file)) {
      throw CommandFailure.io(name(file) + " is a directory, not a file");
    }
    int limit = (int) Math.min(Integer.MAX_VALUE - 8, bytesMax + 1);
    byte[] bytes;
    if (is(file)) {
      bytes = System.in.readNBytes(limit);
    } else {
      try (var in = Files.newInputStream(file)) {
        bytes = in.readNBytes(limit);
      }
    }
    if (bytes.length > bytesMax) {
      throw CommandFailure.io(name(file) + " has over " + bytesMax + " bytes");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw CommandFailure.io(name(file) + " is not text in UTF-8");
    }
  }
}
