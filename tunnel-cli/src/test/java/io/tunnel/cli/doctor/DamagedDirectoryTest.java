package io.tunnel.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.server.Server;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.StringAppendOperator;
import picocli.CommandLine;

/** Damages a copy of a real server's directory, and asks the doctor about it. */
abstract class DamagedDirectoryTest {

  @TempDir static Path template;

  @TempDir Path directory;

  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();
  Path data;

  @BeforeAll
  static void fill() throws Exception {
    TestDirectory.fill(template.resolve("data"));
  }

  @BeforeEach
  void copy() throws IOException {
    data = directory.resolve("data");
    TestDirectory.copy(template.resolve("data"), data);
  }

  final int doctor(String... options) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    List<String> arguments = new ArrayList<>(List.of("--data", data.toString()));
    arguments.addAll(List.of(options));
    CommandLine command =
        new CommandLine(new DoctorCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    return CommandRunner.run(command, Diagnosis.standard(), arguments.toArray(new String[0]));
  }

  /** Every file with its bytes and when it was changed. */
  final Map<String, String> content() throws IOException {
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.toList()) {
        String bytes =
            Files.isRegularFile(file)
                ? Integer.toHexString(Arrays.hashCode(Files.readAllBytes(file)))
                : "directory";
        content.put(file.toString(), bytes + " " + Files.getLastModifiedTime(file));
      }
    }
    return content;
  }

  /** Looks without changing anything; the kinds that were found. */
  final List<String> found(int exitCode) throws IOException {
    Map<String, String> before = content();
    assertThat(doctor("--json")).as(() -> out + "" + err).isEqualTo(exitCode);
    assertThat(content()).isEqualTo(before);
    JsonObject report = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(report.get("isSound").getAsBoolean()).isEqualTo(exitCode != 1);
    if (exitCode != 1) {
      assertThat(report.get("isCompared").getAsBoolean()).isEqualTo(exitCode == 0);
    }
    List<String> kinds = new ArrayList<>();
    report
        .getAsJsonArray("problems")
        .forEach(problem -> kinds.add(problem.getAsJsonObject().get("kind").getAsString()));
    return kinds;
  }

  final Path log(int shard) {
    return data.resolve("shard-" + shard).resolve("log");
  }

  final List<Path> files(int shard, String suffix) throws IOException {
    try (Stream<Path> files = Files.list(log(shard))) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }

  static void flip(Path file, long at) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      int before = bytes.read();
      bytes.seek(at);
      bytes.write(before ^ 0x10);
    }
  }

  static void delete(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  interface StoreChange {
    void change(RocksDB db) throws RocksDBException;
  }

  /** As a server opens it: parts of a row are put one behind the other. */
  final void change(String store, StoreChange change) throws RocksDBException {
    try (StringAppendOperator append = new StringAppendOperator("");
        Options options = new Options().setMergeOperator(append);
        RocksDB db = RocksDB.open(options, data.resolve(store).toString())) {
      change.change(db);
    }
  }

  /** A server starts, and a new tunnel is delivered every change; all rows can be read. */
  final void requireServes(long rows) throws Exception {
    try (Server server = TestDirectory.server(data);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        TunnelClient tunnels = new TunnelClient(TestDirectory.endpoint(server))) {
      String id =
          tunnels
              .createTunnel(
                  new CreateTunnelRequest(
                      "orders", "again", TunnelType.Stream, StreamStart.EARLIEST))
              .getTunnelId();
      assertThat(TestDirectory.consume(tunnels, id, TestDirectory.CHANGES))
          .isEqualTo(TestDirectory.CHANGES);
      assertThat(rows(tables)).isEqualTo(rows);
    }
  }

  static long rows(TableClient tables) {
    long rows = 0;
    for (var row : tables.getRange("orders", RangeQuery.ALL)) {
      rows += row == null ? 0 : 1;
    }
    return rows;
  }

  final long rowsOfWholeDirectory() throws Exception {
    Path copy = directory.resolve("whole");
    TestDirectory.copy(template.resolve("data"), copy);
    try (Server server = TestDirectory.server(copy);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server))) {
      return rows(tables);
    }
  }

  final void requireRepaired() throws Exception {
    assertThat(doctor("--repair")).as(() -> out + "" + err).isZero();
    assertThat(found(0)).isEmpty();
    requireServes(rowsOfWholeDirectory());
  }
}
