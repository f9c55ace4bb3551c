package io.tunnel.stress.file;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.ColumnType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that make a table's rows out of a file, whose key columns are named. */
public final class FileOptions {

  @Mixin private RowFileOptions rows;

  @Option(
      names = "--key",
      paramLabel = "COLUMN",
      split = ",",
      description = "Columns of the file that are the key, in the key's order.")
  private List<String> key = List.of();

  /** For picocli. */
  public FileOptions() {}

  /** The file, if one was given. */
  public Optional<RowFile> file() {
    return rows.file();
  }

  /** The key columns that were named. */
  public List<String> key() {
    return List.copyOf(key);
  }

  /** The types that were given. */
  public Map<String, ColumnType> types() {
    return rows.types();
  }

  /** How the file's columns become rows of a table with that key. */
  public FileRows.Binding binding(List<PrimaryKeySchema> schema) {
    return new FileRows.Binding(schema, key, types());
  }

  /** What happens to bad lines. */
  public BadLines badLines(Consumer<String> show) {
    return rows.badLines(show);
  }
}
