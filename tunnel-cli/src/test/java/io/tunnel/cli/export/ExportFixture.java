package io.tunnel.cli.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.cli.export.ExportFile.Part;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A service with a table of random rows, and a service without tables. */
abstract class ExportFixture {

  static final String TABLE = "orders";

  /** Code points whose text a careless codec changes. */
  private static final int[] ODD = {
    0, 1, '\t', '\n', '\r', '"', '\\', '/', '<', 0x7f, 0x85, 0xa0, 0xd7ff, 0xe000, 0xfeff, 0xffff,
    0x2028, 0x2029, 0x10000, 0x1f600, 0x10ffff
  };

  private static final double[] DOUBLES = {
    0.0,
    -0.0,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.MIN_VALUE,
    Double.MAX_VALUE,
    Double.MIN_NORMAL,
    0.1,
    Double.parseDouble("1e23")
  };

  private static final long[] LONGS = {
    0, -1, Long.MIN_VALUE, Long.MAX_VALUE, (1L << 53) + 1, -(1L << 53) - 1
  };

  @AutoClose final InMemoryTunnelService source = InMemoryTunnelService.start();
  @AutoClose final InMemoryTunnelService target = InMemoryTunnelService.start();
  @TempDir Path directory;
  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();

  /** A table in three partitions, with an AUTO column and every option. */
  static CreateTableRequest.Builder table() {
    return CreateTableRequest.builder(TABLE)
        .key("first", PrimaryKeyType.STRING)
        .key("second", PrimaryKeyType.BINARY)
        .key("third", PrimaryKeyType.INTEGER)
        .autoKey("number")
        .durability(Durability.OS)
        .retention(Duration.ofDays(7))
        .retentionBytes(1L << 40)
        .splitPoint("\u0001")
        .splitPoint("n");
  }

  /** Fills the source. */
  void fill(Random random, int rows) {
    source.createTable(table().build());
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      changes.add(new RowPutChange(key(random, i), columns(random)));
    }
    source.write(TABLE, changes.toArray(RowChange[]::new));
  }

  static PrimaryKey key(Random random, long number) {
    byte[] binary = new byte[random.nextInt(4)];
    random.nextBytes(binary);
    return PrimaryKey.builder()
        .add("first", text(random))
        .add("second", binary)
        .add("third", integer(random))
        .add("number", number)
        .build();
  }

  static List<Column> columns(Random random) {
    List<Column> columns = new ArrayList<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      columns.add(new Column("c" + i + text(random), value(random)));
    }
    return columns;
  }

  private static ColumnValue value(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> ColumnValue.fromLong(integer(random));
      case 1 ->
          ColumnValue.fromDouble(
              random.nextBoolean()
                  ? DOUBLES[random.nextInt(DOUBLES.length)]
                  : Double.longBitsToDouble(random.nextLong()));
      case 2 -> ColumnValue.fromBoolean(random.nextBoolean());
      case 3 -> ColumnValue.fromString(text(random));
      default -> {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        yield ColumnValue.fromBinary(bytes);
      }
    };
  }

  private static long integer(Random random) {
    return random.nextBoolean() ? LONGS[random.nextInt(LONGS.length)] : random.nextLong();
  }

  static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(5); i > 0; i--) {
      text.appendCodePoint(
          random.nextBoolean() ? ODD[random.nextInt(ODD.length)] : 'a' + random.nextInt(26));
    }
    return text.toString();
  }

  final Path export() {
    return directory.resolve("export");
  }

  private static TableClient connect(ClientConfig config) {
    return TableClient.connect(config.withRetryDeadline(Duration.ofSeconds(1)));
  }

  private int run(Object command, InMemoryTunnelService service, List<String> options) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    List<String> line = new ArrayList<>(List.of("--server", service.endpoint()));
    line.addAll(options);
    if (!line.contains("--table")) {
      line.addAll(List.of("--table", TABLE));
    }
    CommandLine commandLine =
        new CommandLine(command).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return CommandRunner.run(commandLine, Diagnosis.standard(), line.toArray(String[]::new));
  }

  /** Exports the source to {@link #export()}, unless the options name another place. */
  final int exportRows(String... options) {
    return run(
        new ExportTableCommand(ExportFixture::connect),
        source,
        with("--to", export().toString(), options));
  }

  /** Imports {@link #export()} into the target, unless the options name another place. */
  final int importRows(String... options) {
    return run(
        new ImportTableCommand(ExportFixture::connect),
        target,
        with("--from", export().toString(), options));
  }

  private static List<String> with(String name, String value, String... options) {
    List<String> line = new ArrayList<>(List.of(options));
    if (!line.contains(name)) {
      line.addAll(List.of(name, value));
    }
    return line;
  }

  final void exportAll() {
    assertThat(exportRows()).as(err.toString()).isZero();
  }

  final void importAll(String... options) {
    assertThat(importRows(options)).as(err.toString()).isZero();
  }

  /** Rows of the whole export, as text. */
  final List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < ExportDirectory.complete(export()).parts().size(); i++) {
      lines.addAll(List.of(text(i).split("\n")));
    }
    lines.removeIf(String::isEmpty);
    return lines;
  }

  final String text(int part) throws IOException {
    return Files.readString(ExportDirectory.part(export(), part), StandardCharsets.UTF_8);
  }

  /** Turns a complete export into one that was killed after some rows of each part. */
  final void cut(Random random, List<Row> rows) throws IOException {
    ExportFile complete = ExportDirectory.complete(export());
    List<Part> parts = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < complete.parts().size(); i++) {
      Part part = complete.parts().get(i);
      Path file = ExportDirectory.part(export(), i);
      int kept = random.nextInt((int) part.rows() + 1);
      String torn = text(i).substring(0, random.nextInt(text(i).length() + 1));
      Files.delete(file);
      try (PartFile begun = PartFile.open(file, Part.NONE).orElseThrow()) {
        for (Row row : rows.subList(from, from + kept)) {
          begun.add(row);
        }
        parts.add(begun.sync());
      }
      String end = random.nextBoolean() ? torn : "\0".repeat(random.nextInt(100));
      Files.writeString(file, Files.readString(file) + end);
      from += (int) part.rows();
    }
    Files.delete(export().resolve("export.json"));
    try (ExportDirectory again = writable()) {
      again.save(complete.withParts(parts));
    }
  }

  private ExportDirectory writable() throws IOException {
    Files.writeString(export().resolve("export.partial.json"), "replaced by save");
    return ExportDirectory.open(export());
  }
}
