package io.tunnel.stress.file;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.StandardStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option {@code --in-doubt-file}. */
public final class InDoubtOption {

  @Option(
      names = "--in-doubt-file",
      paramLabel = "FILE",
      description = "Where to write the rows of which it is not known whether they were applied.")
  private Path file;

  /** For picocli. */
  public InDoubtOption() {}

  /** The file, if one was named; a usage error when that is standard output. */
  public Optional<Path> file() {
    if (file != null && StandardStream.is(file)) {
      throw CommandFailure.usage("--in-doubt-file is a file: standard output has the report");
    }
    return Optional.ofNullable(file);
  }

  /**
   * Refuses the file that is read with a usage error: it would be emptied before its rows are read.
   *
   * @throws IOException when the two files cannot be compared
   */
  public void requireOtherThan(Optional<RowFile> read) throws IOException {
    if (file == null || read.isEmpty() || read.get().isStandardInput()) {
      return;
    }
    Path from = read.get().path();
    if (Files.exists(file) && Files.exists(from) && Files.isSameFile(file, from)) {
      throw CommandFailure.usage("--in-doubt-file is the file that is read: name another");
    }
  }
}
