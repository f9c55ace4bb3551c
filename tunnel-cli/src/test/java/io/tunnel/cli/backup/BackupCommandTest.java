package io.tunnel.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.doctor.DoctorCommand;
import io.tunnel.cli.doctor.TestDirectory;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.server.Server;
import io.tunnel.server.backup.Backup;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.StringAppendOperator;
import picocli.CommandLine;

/**
 * Backups of a real server, also under load, and what a server on the restored directory serves.
 */
class BackupCommandTest {

  private static final int ROUNDS = 4;

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private Path path(String name) {
    return directory.resolve(name);
  }

  private int run(Object command, String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line =
        new CommandLine(command).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return CommandRunner.run(line, Diagnosis.standard(), arguments);
  }

  private JsonObject backup(String... more) {
    return backup(ExitCode.OK, more);
  }

  private JsonObject backup(int exitCode, String... more) {
    String[] all = new String[5 + more.length];
    List<String> start =
        List.of("--data", path("data").toString(), "--to", path("backup").toString(), "--json");
    System.arraycopy(start.toArray(new String[0]), 0, all, 0, 5);
    System.arraycopy(more, 0, all, 5, more.length);
    assertThat(run(new BackupCommand(), all)).as(err::toString).isEqualTo(exitCode);
    return JsonParser.parseString(out.toString()).getAsJsonObject();
  }

  private int restore(String data, String... more) {
    String[] all = new String[4 + more.length];
    List<String> start =
        List.of("--from", path("backup").toString(), "--data", path(data).toString());
    System.arraycopy(start.toArray(new String[0]), 0, all, 0, 4);
    System.arraycopy(more, 0, all, 4, more.length);
    return run(new RestoreCommand(), all);
  }

  private void requireSound(String data) {
    assertThat(run(new DoctorCommand(), "--data", path(data).toString(), "--json"))
        .as(() -> out + "" + err)
        .isZero();
    JsonObject found = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(found.get("isCompared").getAsBoolean()).as(out::toString).isTrue();
    for (JsonElement shard : found.getAsJsonArray("shards")) {
      assertThat(shard.getAsJsonObject().get("rowsCompared").getAsLong())
          .as(out::toString)
          .isPositive();
    }
  }

  /** Retention has given up changes that made the rows. */
  private void requireSoundAsFarAsKept(String data) {
    assertThat(run(new DoctorCommand(), "--data", path(data).toString(), "--json"))
        .as(() -> out + "" + err)
        .isEqualTo(ExitCode.NOT_ALL_CHECKED);
    JsonObject found = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(found.get("isSound").getAsBoolean()).isTrue();
    assertThat(found.get("isCompared").getAsBoolean()).isFalse();
    assertThat(run(new DoctorCommand(), "--data", path(data).toString()))
        .isEqualTo(ExitCode.NOT_ALL_CHECKED);
    assertThat(out.toString()).contains("not all rows were compared with the log");
  }

  /** The doctor finds rows that the rows of a restored backup lack. */
  private void requireLossIsFound(String data) throws Exception {
    Path copy = path(data + "-with-less");
    TestDirectory.copy(path(data), copy);
    Path table = copy.resolve("shard-1/table");
    try (StringAppendOperator append = new StringAppendOperator("");
        Options options = new Options().setMergeOperator(append);
        RocksDB db = RocksDB.open(options, table.toString());
        RocksIterator at = db.newIterator()) {
      at.seek(new byte[] {0, 0, 0, 5});
      for (int i = 0; i < 3; i++, at.next()) {
        db.delete(at.key());
      }
    }
    assertThat(run(new DoctorCommand(), "--data", copy.toString(), "--json")).isEqualTo(1);
    assertThat(out.toString()).contains("ROWS_MISSING", "3 rows of table still");
  }

  /** A server on a restored directory delivers at least {@code changes} to a new tunnel. */
  private void requireServes(String data, int changes) throws Exception {
    try (Server server = TestDirectory.server(path(data));
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        TunnelClient tunnels = new TunnelClient(TestDirectory.endpoint(server))) {
      String id =
          tunnels
              .createTunnel(
                  new CreateTunnelRequest(
                      "orders", "again", TunnelType.Stream, StreamStart.EARLIEST))
              .getTunnelId();
      assertThat(TestDirectory.consume(tunnels, id, changes)).isEqualTo(changes);
      assertThat(tables.getRange("orders", RangeQuery.ALL).iterator().hasNext()).isTrue();
      TestDirectory.write(tables, changes, changes + 100);
    }
  }

  /** A table whose rows no later change makes again; its partition is behind those of orders. */
  private void fillStill() throws IOException {
    try (Server server = TestDirectory.server(path("data"));
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server))) {
      List<PrimaryKeySchema> key = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
      var unused = tables.createTable(new TableMeta("still", key));
      List<RowChange> rows = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        rows.add(new RowPutChange(PrimaryKey.builder().add("id", i).build(), List.of()));
      }
      assertThat(tables.write("still", rows).allApplied()).isTrue();
    }
  }

  @Test
  void a_backup_under_load_has_what_was_acknowledged_before_and_fits_together() throws Exception {
    TestDirectory.fill(path("data"));
    fillStill();
    try (Server server = TestDirectory.server(path("data"));
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        TunnelClient tunnels = new TunnelClient(TestDirectory.endpoint(server))) {
      AtomicInteger acknowledged = new AtomicInteger(TestDirectory.CHANGES);
      AtomicBoolean mustEnd = new AtomicBoolean();
      Thread writer =
          new Thread(
              () -> {
                while (!mustEnd.get()) {
                  int from = acknowledged.get();
                  TestDirectory.write(tables, from, from + 200);
                  acknowledged.set(from + 200);
                }
              });
      writer.start();
      try {
        for (int round = 1; round <= ROUNDS; round++) {
          int before = acknowledged.get();
          JsonObject taken = backup();
          assertThat(taken.get("backup").getAsInt()).isEqualTo(round);
          String restored = "restored-" + round;
          assertThat(restore(restored)).as(() -> out + "" + err).isZero();
          requireSound(restored);
          requireLossIsFound(restored);
          requireServes(restored, before);
        }
      } finally {
        mustEnd.set(true);
        writer.join();
      }
      assertThat(tunnels).isNotNull();
    }
  }

  @Test
  void a_restored_tunnel_goes_on_behind_its_checkpoints() throws Exception {
    TestDirectory.fill(path("data"));
    var unused = backup();
    assertThat(restore("restored")).isZero();
    try (Server server = TestDirectory.server(path("restored"));
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        TunnelClient tunnels = new TunnelClient(TestDirectory.endpoint(server))) {
      DescribeTunnelRequest audit = new DescribeTunnelRequest("orders", "audit");
      String id = tunnels.describeTunnel(audit).getTunnelInfo().getTunnelId();
      TestDirectory.write(tables, TestDirectory.CHANGES, TestDirectory.CHANGES + 300);
      // Were the checkpoints lost, the first of these would be old ones, and more would follow.
      assertThat(TestDirectory.consume(tunnels, id, 300)).isEqualTo(300);
      assertThat(tunnels.describeTunnel(audit).getChannelInfos())
          .allMatch(channel -> channel.checkpointed() > TestDirectory.CHANGES / 8)
          .allMatch(channel -> channel.epoch() >> 32 > 1_000, "no epoch is given out again");
    }
  }

  @Test
  void only_what_is_new_is_copied_and_what_is_too_old_is_deleted() throws Exception {
    TestDirectory.fill(path("data"));
    long first = backup().get("bytesCopied").getAsLong();
    JsonObject second = backup();
    assertThat(second.get("bytesCopied").getAsLong()).isLessThan(first / 2);
    assertThat(second.get("filesKnown").getAsLong()).isPositive();
    assertThat(backup("--full").get("filesKnown").getAsLong()).isZero();
    assertThat(backup("--keep", "2").get("backupsDeleted").getAsInt()).isEqualTo(2);
    assertThat(run(new RestoreCommand(), "--from", path("backup").toString(), "--list")).isZero();
    assertThat(out.toString().lines()).hasSize(3);
    assertThat(restore("restored", "--backup", "3")).isZero();
    requireSound("restored");
    assertThat(restore("nothing", "--backup", "1")).isEqualTo(1);
    assertThat(err.toString()).contains("has no backup 1; there are 3 to 4");
  }

  @Test
  void a_backup_of_a_directory_that_nobody_wrote_to_copies_no_segment() throws Exception {
    TestDirectory.fill(path("data"));
    assertThat(backup().get("filesCopied").getAsLong()).isPositive();
    assertThat(backup().get("filesCopied").getAsLong()).isZero();
    try (Server server = TestDirectory.server(path("data"));
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server))) {
      TestDirectory.write(tables, TestDirectory.CHANGES, TestDirectory.CHANGES + 300);
    }
    assertThat(backup().get("filesCopied").getAsLong()).isPositive();
    assertThat(restore("restored")).isZero();
    requireSound("restored");
    requireServes("restored", TestDirectory.CHANGES + 300);
  }

  @Test
  void a_log_that_retention_has_shortened_is_restored_with_its_rows() throws Exception {
    TestDirectory.fill(path("data"));
    try (Server server = TestDirectory.server(path("data"));
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server))) {
      long rows = count(tables);
      var unused = tables.alterTable("orders", new OptionsChange().withRetentionBytes(100 << 10));
      long deadline = System.nanoTime() + 60_000_000_000L;
      while (Files.exists(path("data").resolve("shard-0/log/00000000000000000000.log"))
          && System.nanoTime() < deadline) {
        Thread.onSpinWait();
      }
      assertThat(path("data").resolve("shard-0/log/00000000000000000000.log")).doesNotExist();
      var taken = backup();
      assertThat(taken.get("tables").getAsInt()).isEqualTo(1);
      assertThat(restore("restored")).as(() -> out + "" + err).isZero();
      requireSoundAsFarAsKept("restored");
      try (Server again = TestDirectory.server(path("restored"));
          TableClient restored = TableClient.connect(TestDirectory.endpoint(again))) {
        assertThat(count(restored)).isEqualTo(rows);
      }
    }
  }

  /** Segments come and go while the rows are copied, behind those that were copied before. */
  @Test
  void a_log_that_retention_shortens_while_rows_are_copied_is_restored() throws Exception {
    TestDirectory.fill(path("data"));
    Path log = path("data").resolve("shard-0/log");
    try (Server server = TestDirectory.server(path("data"));
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        BackupDirectory target = BackupDirectory.create(path("backup"))) {
      List<Path> segments = segments(log);
      Path last = segments.get(segments.size() - 1);
      long logBytes = 0;
      for (Path segment : segments) {
        logBytes += Files.size(segment);
      }
      AtomicLong left = new AtomicLong(logBytes - Files.size(last));
      var unused =
          Backup.take(
              path("data"),
              target,
              new Backup.Options(false, Optional.empty()),
              1,
              count -> {
                if (left.get() >= 0 && left.addAndGet(-count) < 0) {
                  giveUp(tables, last);
                }
              });
      assertThat(left).hasNegativeValue();
      assertThat(last).doesNotExist();
    }
    assertThat(restore("restored")).as(() -> out + "" + err).isZero();
    requireSoundAsFarAsKept("restored");
  }

  private static List<Path> segments(Path log) throws IOException {
    try (Stream<Path> files = Files.list(log)) {
      return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
  }

  /** Writes until retention has given up what was the last segment. */
  private static void giveUp(TableClient tables, Path segment) {
    var unused = tables.alterTable("orders", new OptionsChange().withRetentionBytes(1));
    long deadline = System.nanoTime() + 60_000_000_000L;
    for (int from = TestDirectory.CHANGES;
        Files.exists(segment) && System.nanoTime() < deadline;
        from += 200) {
      TestDirectory.write(tables, from, from + 200);
    }
  }

  private static long count(TableClient tables) {
    long rows = 0;
    for (var row : tables.getRange("orders", RangeQuery.ALL)) {
      rows += row == null ? 0 : 1;
    }
    return rows;
  }

  @Test
  void a_damaged_backup_a_full_directory_and_wrong_places_are_refused() throws Exception {
    TestDirectory.fill(path("data"));
    var unused = backup();
    assertThat(restore("data")).isEqualTo(1);
    assertThat(err.toString()).contains("is not empty");
    Path largest;
    try (Stream<Path> files = Files.list(path("backup").resolve("files"))) {
      largest = files.max(Comparator.comparing(file -> file.toFile().length())).orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(largest);
    bytes[bytes.length / 2] ^= 1;
    Files.write(largest, bytes);
    assertThat(restore("restored")).isEqualTo(1);
    assertThat(err.toString()).contains("does not match its checksum");
    assertThat(path("restored").resolve("FORMAT")).doesNotExist();
    assertThat(restore("restored")).isEqualTo(1);
    requireUsageErrors();
  }

  @Test
  void a_backup_with_a_damaged_list_is_marked_and_hides_no_other_backup() throws Exception {
    TestDirectory.fill(path("data"));
    for (int i = 0; i < 3; i++) {
      var unused = backup();
    }
    String[] list = {"--from", path("backup").toString(), "--list"};
    assertThat(run(new RestoreCommand(), list)).isZero();
    assertThat(err.toString()).isEmpty();
    Path damaged = path("backup/sets/00000003.json");
    String whole = Files.readString(damaged);
    Files.writeString(damaged, whole.substring(0, whole.length() / 2));
    assertThat(run(new RestoreCommand(), list)).isEqualTo(ExitCode.FAILED);
    assertThat(out.toString().lines().map(line -> line.strip().replaceAll(" .*", "")))
        .containsExactly("BACKUP", "1", "2", "3");
    assertThat(out.toString().lines().toList().get(3)).contains("DAMAGED");
    assertThat(err.toString())
        .contains("backup 3 cannot be restored, because its list of files " + damaged)
        .contains("is damaged: the file ends before its JSON does");
    assertThat(run(new RestoreCommand(), "--from", list[1], "--list", "--json"))
        .isEqualTo(ExitCode.FAILED);
    JsonObject third =
        JsonParser.parseString(out.toString().lines().toList().get(2)).getAsJsonObject();
    assertThat(third.get("isDamaged").getAsBoolean()).isTrue();
    assertThat(third.get("list").getAsString()).isEqualTo(damaged.toString());

    assertThat(restore("restored")).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString()).contains("restore this backup with --backup 2");
    assertThat(restore("restored", "--backup", "2")).as(err::toString).isZero();

    JsonObject fourth = backup(ExitCode.NOT_ALL_CHECKED, "--keep", "1");
    assertThat(fourth.get("backup").getAsLong()).isEqualTo(4);
    assertThat(fourth.getAsJsonArray("damagedBackups")).hasSize(1);
    assertThat(err.toString()).contains("While a damaged list is there, no backup deletes a file");
    assertThat(damaged).exists();
    assertThat(restore("again")).as(err::toString).isZero();
    assertThat(backup().get("backup").getAsLong()).as("without --keep").isEqualTo(5);
    Files.delete(damaged);
    assertThat(backup("--keep", "1").get("backupsDeleted").getAsLong()).isEqualTo(2);
  }

  @Test
  void backups_of_another_server_in_the_directory_are_noted_and_kept() throws Exception {
    TestDirectory.fill(path("data"));
    var unused = backup();
    Path list = path("backup/sets/00000001.json");
    String text = Files.readString(list);
    String other = text.replaceFirst("\"service\":\"[^\"]*\"", "\"service\":\"server-other\"");
    assertThat(other).isNotEqualTo(text);
    Files.writeString(list, other);
    JsonObject second = backup("--keep", "1");
    assertThat(second.get("backupsDeleted").getAsInt()).isZero();
    assertThat(err.toString()).contains("also has backups of server-other, and this backup is of");
    assertThat(list).exists();
    assertThat(backup("--keep", "1").get("backupsDeleted").getAsInt()).isEqualTo(1);
    requireOneIsNamed();
  }

  /** The directory has backup 1 of another server, and backup 3. */
  private void requireOneIsNamed() {
    String[] list = {"--from", path("backup").toString(), "--list"};
    assertThat(run(new RestoreCommand(), list)).isZero();
    List<String> lines = out.toString().lines().toList();
    assertThat(lines.get(0)).endsWith("  SERVICE");
    assertThat(lines.get(1)).endsWith("  server-other");
    assertThat(lines.get(2)).containsPattern("  server-[0-9a-f]{8}$");
    assertThat(run(new RestoreCommand(), "--from", list[1], "--list", "--json")).isZero();
    assertThat(out.toString().lines().findFirst().orElseThrow())
        .contains("\"service\":\"server-other\"");
    assertThat(restore("restored")).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .contains("has backups of several services, the newest ones are ", "1 of server-other")
        .contains("name a backup with --backup");
    assertThat(path("restored")).doesNotExist();
    assertThat(restore("restored", "--backup", "3")).as(err::toString).isZero();
  }

  private void requireUsageErrors() throws IOException {
    String data = path("data").toString();
    assertThat(run(new BackupCommand(), "--data", data, "--to", data + "/inside")).isEqualTo(2);
    assertThat(run(new BackupCommand(), "--data", path("no").toString(), "--to", "x")).isEqualTo(2);
    String[] keepsNone = {"--data", data, "--to", path("data2").toString(), "--keep", "0"};
    assertThat(run(new BackupCommand(), keepsNone)).isEqualTo(2);
    assertThat(run(new RestoreCommand(), "--from", data, "--list")).isEqualTo(2);
    Files.createDirectories(path("other"));
    Files.writeString(path("other").resolve("file"), "of somebody else");
    assertThat(run(new BackupCommand(), "--data", data, "--to", path("other").toString()))
        .isEqualTo(74);
    assertThat(err.toString()).contains("holds other files");
  }

  @Test
  void a_backup_is_read_without_being_written_to_and_by_nobody_while_one_is_taken()
      throws Exception {
    TestDirectory.fill(path("data"));
    var unused = backup();
    String[] list = {"--from", path("backup").toString(), "--list"};
    try (BackupDirectory writing = BackupDirectory.create(path("backup"))) {
      assertThat(writing.sets()).hasSize(1);
      assertThat(run(new RestoreCommand(), list)).isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(err.toString()).contains("is in use by another backup or restore");
      assertThat(
              run(
                  new BackupCommand(),
                  "--data",
                  path("data").toString(),
                  "--to",
                  path("backup").toString()))
          .isEqualTo(ExitCode.UNAVAILABLE);
    }
    assertThat(run(new RestoreCommand(), list)).isZero();
    Files.delete(path("backup").resolve("LOCK"));
    assertThat(run(new RestoreCommand(), list)).isZero();
    assertThat(restore("restored")).as(err::toString).isZero();
    assertThat(path("backup").resolve("LOCK")).doesNotExist();
  }

  @Test
  void a_file_that_cannot_be_read_is_no_wrong_option() throws IOException {
    Files.createDirectories(path("data"));
    Files.createDirectories(path("backup"));
    // A link to itself cannot be read by anybody, root included.
    for (String file : List.of("data/FORMAT", "backup/BACKUP")) {
      Files.createSymbolicLink(path(file), path(file));
    }
    String data = path("data").toString();
    String backup = path("backup").toString();
    assertThat(run(new BackupCommand(), "--data", data, "--to", path("new").toString()))
        .isEqualTo(74);
    assertThat(err.toString()).contains("FORMAT: Too many levels of symbolic links");
    assertThat(run(new DoctorCommand(), "--data", data)).isEqualTo(74);
    assertThat(err.toString()).contains("FORMAT: Too many levels of symbolic links");
    assertThat(run(new RestoreCommand(), "--from", backup, "--list")).isEqualTo(74);
    assertThat(err.toString()).contains("BACKUP: Too many levels of symbolic links");
  }
}
