package io.tunnel.stress.file;

import io.tunnel.model.value.ColumnType;
import io.tunnel.terminal.file.Separator;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Which file holds rows, and how its lines are read: options of every command that writes the rows
 * of a file.
 */
public final class RowFileOptions {

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description =
          "Write the rows of a .csv or .tsv (with a header) or .jsonl file, which may be a .gz; - is"
              + " standard input."
              + " JSON Lines may be what 'tables scan --json' and 'tail --json' print.")
  private Path from;

  @Option(
      names = "--format",
      paramLabel = "csv|tsv|jsonl",
      description =
          "The file's format, where its name does not say it. TSV has no quotes: of a file with tabs"
              + " and quoted values it is csv with --separator tab.",
      converter = RowFormat.Converter.class)
  private RowFormat format;

  @Option(
      names = "--types",
      paramLabel = "COLUMN:TYPE",
      split = ",",
      description =
          "Types of columns: INTEGER, DOUBLE, BOOLEAN, STRING, BINARY (hexadecimal); those of the others"
              + " are inferred value by value.")
  private List<String> types = List.of();

  @Option(
      names = "--bad-lines",
      paramLabel = "skip|fail",
      defaultValue = "fail",
      description = "What to do with a line that is no row (default: ${DEFAULT-VALUE}).",
      converter = PolicyConverter.class)
  private BadLines.Policy policy;

  @Option(
      names = "--separator",
      paramLabel = "CHARACTER",
      description =
          "What separates the values of CSV, such as ';' or tab (default: a comma; tab in .tsv).",
      converter = Separator.class)
  private Character separator;

  /** For picocli. */
  public RowFileOptions() {}

  /** The file, if one was given. */
  public Optional<RowFile> file() {
    return Optional.ofNullable(from)
        .map(
            path -> new RowFile(path, Optional.ofNullable(separator), Optional.ofNullable(format)));
  }

  /** The types that were given. */
  public Map<String, ColumnType> types() {
    return ColumnTypes.parse(types);
  }

  /** What happens to bad lines. */
  public BadLines badLines(Consumer<String> show) {
    return new BadLines(policy, show);
  }

  /** Reads the policy in lower case, as the help shows it. */
  public static final class PolicyConverter implements ITypeConverter<BadLines.Policy> {
    /** For picocli. */
    public PolicyConverter() {}

    @Override
    public BadLines.Policy convert(String text) {
      return switch (text) {
        case "skip" -> BadLines.Policy.SKIP;
        case "fail" -> BadLines.Policy.FAIL;
        default -> throw new TypeConversionException("'" + text + "' is neither skip nor fail");
      };
    }
  }
}
