package io.tunnel.it.releases;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one release wrote: a stopped server's data directory, a backup, and for each table the rows
 * and changes, for each tunnel the progress, as the commands of that release exported them.
 *
 * @param directory {@code data.zip}, {@code backup.zip}, {@code TABLE.rows.jsonl}, {@code
 *     TABLE.changes.jsonl}, {@code TABLE.TUNNEL.progress.json}
 */
record ReleaseFixture(Path directory) {

  /** Tables by the kinds of their keys: numbers in partitions, hashes, and two columns. */
  static final List<String> TABLES = List.of("orders", "people", "parts");

  /** Tunnels of {@link #TABLES the first table}, by their types. */
  static final List<String> TUNNELS = List.of("Stream", "BaseData", "BaseAndStream");

  private static final Path RELEASES = Path.of("src/test/resources/releases");
  private static final int ORDERS = 40;
  private static final int CONSUMED = 25;

  /** The fixtures of all releases. */
  static Stream<ReleaseFixture> all() throws IOException {
    try (Stream<Path> directories = Files.list(RELEASES)) {
      return directories.sorted().map(ReleaseFixture::new).toList().stream();
    }
  }

  static ReleaseFixture of(String version) {
    return new ReleaseFixture(RELEASES.resolve(version));
  }

  Path data() {
    return directory.resolve("data.zip");
  }

  Path backup() {
    return directory.resolve("backup.zip");
  }

  Path rows(String table) {
    return directory.resolve(table + ".rows.jsonl");
  }

  Path changes(String table) {
    return directory.resolve(table + ".changes.jsonl");
  }

  Path progress(String tunnel) {
    return directory.resolve(TABLES.get(0) + "." + tunnel + ".progress.json");
  }

  /** All changes of the first table. */
  int changes() throws IOException {
    try (Stream<String> lines = Files.lines(changes(TABLES.get(0)))) {
      return (int) lines.count();
    }
  }

  /** The changes that no worker of the tunnel {@code Stream} has checkpointed. */
  int left() throws IOException {
    return changes() - CONSUMED;
  }

  /** Writes the fixture with this build; {@code work} is an empty directory. */
  void write(Path work) throws IOException {
    Path data = work.resolve("data");
    Path backups = work.resolve("backup");
    try (Operator operator = new Operator(data)) {
      fill(operator);
      Operator.run("backup", "--data=" + data, "--to=" + backups);
      for (String table : TABLES) {
        Files.write(rows(table), rows(operator, table));
        Files.write(changes(table), changes(operator, table));
      }
      for (String tunnel : TUNNELS) {
        Files.write(progress(tunnel), progress(operator, tunnel));
      }
    }
    Packed.pack(data, data());
    Packed.pack(backups, backup());
  }

  static List<String> rows(Operator operator, String table) {
    return operator.ask("tables", "scan", "--table=" + table, "--limit=all", "--json");
  }

  /** Changes are ordered within a partition, so partitions are read in turn. */
  static List<String> changes(Operator operator, String table) {
    return operator.ask("tail", "--table=" + table, "--json").stream().sorted().toList();
  }

  static List<String> progress(Operator operator, String tunnel) {
    return operator.ask("tunnels", "export", "--table=" + TABLES.get(0), "--tunnel=" + tunnel);
  }

  private static void fill(Operator operator) {
    String[] create = {"partition", "create", "--table=orders", "--key=id:INTEGER"};
    operator.ask(with(create, "--from=0", "--to=39", "--partitions=2", "--durability=OS"));
    operator.ask(
        "partition", "create", "--table=people", "--key=hash:BINARY,uid:STRING", "--partitions=2");
    String[] parts = {"partition", "create", "--table=parts", "--key=name:STRING,part:BINARY"};
    operator.ask(with(parts, "--points=m", "--retention=36500d", "--retention-bytes=1TiB"));
    operator.ask("tunnels", "create", "--table=orders", "--tunnel=Stream", "--start=earliest");
    for (int id = 0; id < ORDERS; id++) {
      put(operator, "orders", "id=" + id, "amount:INTEGER=" + id * 10, "note=order " + id);
    }
    for (String type : TUNNELS.subList(1, TUNNELS.size())) {
      operator.ask("tunnels", "create", "--table=orders", "--tunnel=" + type, "--type=" + type);
    }
    operator.ask(
        "tables",
        "update",
        "--table=orders",
        "--key=id=3",
        "--set=amount:INTEGER=4",
        "--unset=note");
    operator.ask("tables", "delete", "--table=orders", "--key=id=39");
    put(
        operator,
        "people",
        "uid=ada",
        "born:INTEGER=1815",
        "height:DOUBLE=1.65",
        "poet:BOOLEAN=false");
    put(
        operator,
        "people",
        "uid=Grace Müller",
        "picture:BINARY=00ff7f80",
        "name=",
        "note=\uD83D\uDE80");
    operator.ask("tables", "put", "--table=parts", "--key=name=bolt", "--key=part=00", "--set=x=1");
    operator.ask(
        "tables", "put", "--table=parts", "--key=name=screw", "--key=part=ff01", "--set=x=2");
    operator.ask(
        "perf", "--table=orders", "--tunnel=Stream", "--rows=" + CONSUMED, "--until-idle=60s");
    operator.ask("tunnels", "pause", "--table=orders", "--tunnel=BaseData");
  }

  private static void put(Operator operator, String table, String key, String... columns) {
    String[] command = {"tables", "put", "--table=" + table, "--key=" + key};
    operator.ask(with(command, Stream.of(columns).map("--set="::concat).toArray(String[]::new)));
  }

  private static String[] with(String[] command, String... more) {
    return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
  }

  /** Of {@code src/test/resources/releases}: a directory without content is made new. */
  void clear() {
    try {
      if (Files.exists(directory)) {
        try (Stream<Path> files = Files.list(directory)) {
          for (Path file : files.toList()) {
            Files.delete(file);
          }
        }
      }
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
