package io.tunnel.cli.rows;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.stress.file.BadLines;
import io.tunnel.stress.file.FileRows;
import io.tunnel.stress.file.InDoubtOption;
import io.tunnel.stress.file.RowFile;
import io.tunnel.stress.file.RowFileOptions;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
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
              + " rows and 1 MiB. A cluster refuses the option.")
  private boolean atomic;

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

  /** Whether all rows of the file are applied, or none. */
  boolean isAtomic() {
    return atomic;
  }

  /** Refuses to write to the file that is read. */
  void check() throws IOException {
    inDoubt.requireOtherThan(file());
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
