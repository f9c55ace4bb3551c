package io.tunnel.cli.rows;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.HashedKey;
import io.tunnel.stress.BadLines;
import io.tunnel.stress.ColumnTypes;
import io.tunnel.stress.FileOptions;
import io.tunnel.stress.FileRows;
import io.tunnel.stress.RowFile;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.file.Separator;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** The options of a command that writes the rows of a file. */
final class RowsFileOptions {

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description =
          "Many rows: those of a .csv or .tsv (with a header) or .jsonl file; - is standard input."
              + " JSON Lines may be what 'tables scan --json' and 'tail --json' print.")
  private Path from;

  @Option(
      names = "--types",
      paramLabel = "COLUMN:TYPE",
      split = ",",
      description = "Types of the file's columns; those of the others are inferred.")
  private List<String> types = List.of();

  @Option(
      names = "--separator",
      paramLabel = "CHARACTER",
      description = "What separates the values of CSV, such as ';' or tab (default: a comma).",
      converter = Separator.class)
  private Character separator;

  @Option(
      names = "--bad-lines",
      paramLabel = "skip|fail",
      defaultValue = "fail",
      description = "What to do with a line that is no row (default: ${DEFAULT-VALUE}).",
      converter = FileOptions.PolicyConverter.class)
  private BadLines.Policy policy;

  @Option(
      names = "--in-doubt-file",
      paramLabel = "FILE",
      description = "Where to write the rows of which it is not known whether they were applied.")
  private Path inDoubtFile;

  /** For picocli. */
  RowsFileOptions() {}

  Optional<RowFile> file() {
    return Optional.ofNullable(from).map(path -> new RowFile(path, Optional.ofNullable(separator)));
  }

  BadLines badLines(Consumer<String> show) {
    return new BadLines(policy, show);
  }

  Optional<Path> inDoubtFile() {
    return Optional.ofNullable(inDoubtFile);
  }

  /** How the file's columns become rows; the columns of the key are called as in the table. */
  FileRows.Binding binding(List<PrimaryKeySchema> schema, boolean isHashed) {
    return CommandFailure.checkUsage(
        () ->
            new FileRows.Binding(
                schema,
                List.of(),
                ColumnTypes.parse(types),
                isHashed || HashedKey.isHashed(schema)));
  }
}
