package io.tunnel.stress.file;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.StandardStream;
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
}
