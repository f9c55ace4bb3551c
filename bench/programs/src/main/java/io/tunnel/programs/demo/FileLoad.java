package io.tunnel.programs.demo;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.stress.file.BadLines;
import io.tunnel.stress.file.FileRows;
import io.tunnel.stress.file.RowFile;
import io.tunnel.stress.rows.RowSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The rows of a file, in its order; from its start again when more rows are asked for than it has.
 * The key of the table is a hash, so that it splits evenly, and the key columns of the file.
 */
final class FileLoad implements DemoLoad {

  private static final int KEY_COLUMNS_MAX = Limits.KEY_COLUMNS_MAX - 1;

  private final RowFile file;
  private final FileRows.Binding binding;
  private final OptionalLong rows;
  private final BadLines badLines;
  private FileRows open;

  private FileLoad(RowFile file, FileRows.Binding binding, OptionalLong rows, BadLines badLines) {
    this.file = file;
    this.binding = binding;
    this.rows = rows;
    this.badLines = badLines;
    this.open = FileRows.open(file, binding, badLines);
  }

  /**
   * Opens a file.
   *
   * @param key the file's columns that are the key; none for its first column
   * @param types types of columns; a key column is a STRING unless given as INTEGER or BINARY
   * @param rows rows to write; empty for those of the file
   */
  static FileLoad open(
      RowFile file,
      List<String> key,
      Map<String, ColumnType> types,
      OptionalLong rows,
      BadLines badLines) {
    List<PrimaryKeySchema> schema = schema(file, key, types);
    return new FileLoad(file, new FileRows.Binding(schema, List.of(), types), rows, badLines);
  }

  private static List<PrimaryKeySchema> schema(
      RowFile file, List<String> key, Map<String, ColumnType> types) {
    if (file.isReadOnce()) {
      throw new IllegalArgumentException(
          "the demo reads its file again for the proof, and "
              + (file.isStandardInput() ? "standard input" : "a pipe")
              + " can be read once: give a file");
    }
    List<String> columns = FileRows.columnsOf(file);
    if (columns.isEmpty()) {
      throw new IllegalArgumentException(file.name() + " has no row");
    }
    List<String> names = key.isEmpty() ? columns.subList(0, 1) : key;
    if (names.size() > KEY_COLUMNS_MAX) {
      throw new IllegalArgumentException(
          "--key names at most "
              + KEY_COLUMNS_MAX
              + " columns, because a hash is added; not "
              + names);
    }
    List<PrimaryKeySchema> schema = new ArrayList<>();
    schema.add(new PrimaryKeySchema(HashedKey.COLUMN, PrimaryKeyType.BINARY));
    for (String name : names) {
      if (!columns.contains(name) || name.equals(HashedKey.COLUMN)) {
        throw new IllegalArgumentException(
            "--key '"
                + name
                + "' should be one of the file's columns (but not '"
                + HashedKey.COLUMN
                + "', which is added): "
                + columns);
      }
      schema.add(new PrimaryKeySchema(name, keyType(name, types.get(name))));
    }
    return schema;
  }

  private static PrimaryKeyType keyType(String name, ColumnType given) {
    if (given == null) {
      return PrimaryKeyType.STRING;
    }
    return switch (given) {
      case INTEGER -> PrimaryKeyType.INTEGER;
      case STRING -> PrimaryKeyType.STRING;
      case BINARY -> PrimaryKeyType.BINARY;
      case DOUBLE, BOOLEAN ->
          throw new IllegalArgumentException(
              "key column '" + name + "' is INTEGER, STRING or BINARY, not " + given);
    };
  }

  @Override
  public List<PrimaryKeySchema> primaryKey() {
    return binding.schema();
  }

  @Override
  public List<RowSource> sources() {
    return List.of(new Repeated());
  }

  @Override
  public OptionalLong rows() {
    return rows;
  }

  @Override
  public Stream<PrimaryKey> keys() {
    // What was skipped while writing is skipped again, and was shown then.
    FileRows again = FileRows.open(file, binding, new BadLines(BadLines.Policy.SKIP, shown -> {}));
    return Stream.iterate(again.next(), row -> row != null, row -> again.next())
        .map(RowChange::primaryKey)
        .onClose(() -> closeQuietly(again));
  }

  private static void closeQuietly(FileRows rows) {
    try {
      rows.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    open.close();
  }

  /** Starts again at the end of the file, unless a whole pass gave no row. */
  private final class Repeated implements RowSource {
    private boolean gaveRow;

    @Override
    public RowChange next() {
      RowChange row = open.next();
      if (row == null && rows.isPresent() && gaveRow) {
        closeQuietly(open);
        open = FileRows.open(file, binding, badLines);
        row = open.next();
      }
      gaveRow |= row != null;
      return row;
    }

    @Override
    public void refused(IllegalArgumentException why) {
      open.refused(why);
    }
  }
}
