package io.tunnel.cli.rows;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.stress.file.BadLines;
import io.tunnel.stress.file.FileRows;
import io.tunnel.stress.file.InDoubtOption;
import io.tunnel.stress.file.RowFile;
import io.tunnel.stress.file.RowFileOptions;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.StandardStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a command that changes one row, or those that a file names. */
final class RowsFileOptions {

  @Mixin private RowFileOptions rows;

  @Mixin private InDoubtOption inDoubt;

  @Option(
      names = "--atomic",
      description =
          "Apply all rows of the file, or none. The rows belong to one partition: at most 1,000"
              + " rows and 1 MiB.")
  private boolean atomic;

  @Option(
      names = "--after-line",
      paramLabel = "N",
      description =
          "Skip the file up to line N. A command that stopped early prints the N with which a"
              + " second command continues.")
  private Long afterLine;

  @Option(
      names = "--not-sent-file",
      paramLabel = "FILE",
      description =
          "Where to write the rows that were read and not sent when the command stops early:"
              + " --from FILE writes them, before --after-line continues.")
  private Path notSent;

  /** For picocli. */
  RowsFileOptions() {}

  Optional<RowFile> file() {
    return rows.file();
  }

  BadLines badLines(Consumer<String> show) {
    return rows.badLines(show);
  }

  Optional<Path> inDoubtFile() {
    return inDoubt.file();
  }

  Optional<Path> notSentFile() {
    return Optional.ofNullable(notSent);
  }

  /** The last line to leave out; 0 for none. */
  long afterLine() {
    return afterLine == null ? 0 : afterLine;
  }

  /** Whether all rows of the file are applied, or none. */
  boolean isAtomic() {
    return atomic;
  }

  /** Refuses to write to the file that is read, and options that make no sense. */
  void check() throws IOException {
    inDoubt.requireOtherThan(file());
    if ((afterLine != null || notSent != null) && file().isEmpty()) {
      throw CommandFailure.usage("--after-line and --not-sent-file are of a file: give --from too");
    }
    if (afterLine() < 0) {
      throw CommandFailure.usage("--after-line is the number of a line, not " + afterLine);
    }
    if (notSent == null) {
      return;
    }
    if (atomic
        || StandardStream.is(notSent)
        || inDoubt.file().filter(notSent::equals).isPresent()) {
      throw CommandFailure.usage(
          "--not-sent-file is a file of its own, and has no meaning with --atomic");
    }
    Path from = file().orElseThrow().path();
    if (Files.exists(notSent) && Files.exists(from) && Files.isSameFile(notSent, from)) {
      throw CommandFailure.usage("--not-sent-file is the file that is read: name another");
    }
  }

  /**
   * How the file's columns become rows; the columns of the key are called as in the table.
   *
   * @param mayAdd whether a row may add to its columns
   */
  FileRows.Binding binding(List<PrimaryKeySchema> schema, boolean isHashed, boolean mayAdd) {
    return CommandFailure.checkUsage(
        () ->
            new FileRows.Binding(
                schema, List.of(), rows.types(), isHashed || HashedKey.isHashed(schema), mayAdd));
  }
}
