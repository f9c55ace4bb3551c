package io.tunnel.cli.rows;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.HashedKey;
import io.tunnel.stress.file.BadLines;
import io.tunnel.stress.file.FileRows;
import io.tunnel.stress.file.RowFile;
import io.tunnel.stress.file.RowFileOptions;
import io.tunnel.terminal.CommandFailure;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a command that changes one row, or those that a file names. */
final class RowsFileOptions {

  @Mixin private RowFileOptions rows;

  @Option(
      names = "--in-doubt-file",
      paramLabel = "FILE",
      description = "Where to write the rows of which it is not known whether they were applied.")
  private Path inDoubtFile;

  /** For picocli. */
  RowsFileOptions() {}

  Optional<RowFile> file() {
    return rows.file();
  }

  BadLines badLines(Consumer<String> show) {
    return rows.badLines(show);
  }

  Optional<Path> inDoubtFile() {
    return Optional.ofNullable(inDoubtFile);
  }

  /** How the file's columns become rows; the columns of the key are called as in the table. */
  FileRows.Binding binding(List<PrimaryKeySchema> schema, boolean isHashed) {
    return CommandFailure.checkUsage(
        () ->
            new FileRows.Binding(
                schema, List.of(), rows.types(), isHashed || HashedKey.isHashed(schema)));
  }
}
