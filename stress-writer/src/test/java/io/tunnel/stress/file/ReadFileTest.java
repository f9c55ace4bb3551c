package io.tunnel.stress.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.PrimaryKeyType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;

/** Reads a file that a test has written. */
abstract class ReadFileTest {

  static final List<PrimaryKeySchema> NAME =
      List.of(new PrimaryKeySchema("name", PrimaryKeyType.STRING));
  static final List<PrimaryKeySchema> ID_AND_NAME =
      List.of(
          new PrimaryKeySchema("id", PrimaryKeyType.INTEGER),
          new PrimaryKeySchema("name", PrimaryKeyType.STRING));
  static final List<PrimaryKeySchema> HASHED =
      List.of(
          new PrimaryKeySchema("hash", PrimaryKeyType.BINARY),
          new PrimaryKeySchema("name", PrimaryKeyType.STRING));

  @TempDir Path directory;
  final List<String> shown = new ArrayList<>();

  final Path file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  static RowFile rowFile(Path file) {
    return new RowFile(file, Optional.empty());
  }

  final List<RowChange> read(Path file, FileRows.Binding binding, BadLines badLines)
      throws IOException {
    try (FileRows rows = FileRows.open(rowFile(file), binding, badLines)) {
      List<RowChange> all = all(rows);
      assertThat(rows.bytesRead()).isEqualTo(Files.size(file));
      return all;
    }
  }

  private static List<RowChange> all(FileRows rows) {
    List<RowChange> all = new ArrayList<>();
    for (RowChange row = rows.next(); row != null; row = rows.next()) {
      all.add(row);
    }
    return all;
  }

  final List<RowChange> readStandardInput(String text, List<PrimaryKeySchema> schema)
      throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(bytes));
    FileRows.Binding binding = new FileRows.Binding(schema, List.of(), Map.of());
    try (FileRows rows = FileRows.open(rowFile(Path.of("-")), binding, failing())) {
      List<RowChange> all = all(rows);
      assertThat(rows.bytesRead()).isEqualTo(bytes.length);
      return all;
    } finally {
      System.setIn(before);
    }
  }

  final List<RowChange> read(Path file, List<PrimaryKeySchema> schema) throws IOException {
    return read(file, new FileRows.Binding(schema, List.of(), Map.of()), failing());
  }

  final BadLines failing() {
    return new BadLines(BadLines.Policy.FAIL, shown::add);
  }

  static RowPutChange row(PrimaryKey key, Column... columns) {
    return new RowPutChange(key, List.of(columns));
  }

  static PrimaryKey name(String name) {
    return PrimaryKey.builder().add("name", name).build();
  }
}
