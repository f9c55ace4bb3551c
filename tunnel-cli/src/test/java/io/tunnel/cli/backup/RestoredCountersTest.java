package io.tunnel.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.cli.doctor.TestDirectory;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.server.Server;
import io.tunnel.server.backup.Backup;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.Restore;
import io.tunnel.server.catalog.StoredCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server on a restored directory gives no number to a new thing that the former server gave out
 * while a backup was taken, or later: the list of docs/internals/adr/0012.
 */
final class RestoredCountersTest {

  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final Duration LEASE = Duration.ofSeconds(60);

  @TempDir private Path directory;

  /** Everything that a server numbers, as clients learn of it: "table 3", "session 7". */
  private final SortedSet<String> given = new TreeSet<>();

  /** A row that lived as long as a session of the former server. */
  private static final PrimaryKey STRANGE = PrimaryKey.builder().add("id", "strange").build();

  private static final PrimaryKey OWN = PrimaryKey.builder().add("id", "own").build();

  private static PrimaryKeySchema key(String name) {
    return new PrimaryKeySchema(name, PrimaryKeyType.STRING);
  }

  private static RowChange put(PrimaryKey key) {
    return new RowPutChange(key, List.of(new Column("v", ColumnValue.fromLong(1))));
  }

  /** A new session, whose rows stay until the program closes the client. */
  private static RowSession session(TableClient tables, SortedSet<String> numbers, PrimaryKey row) {
    RowSession session = tables.openSession(LEASE);
    assertThat(session.write("bound", List.of(put(row))).allApplied()).isTrue();
    numbers.add("session " + session.id());
    return session;
  }

  /** Numbers of a key; the partition never has them twice. */
  private static void numbers(TableClient tables, SortedSet<String> numbers) {
    RowChange row = put(PrimaryKey.builder().add("shop", "a").auto("number").build());
    for (RowResult result : tables.write("numbered", List.of(row, row)).results()) {
      numbers.add("key " + result.key().orElseThrow());
    }
  }

  /** A new table and a tunnel. */
  private static void create(
      TableClient tables, TunnelClient tunnels, SortedSet<String> numbers, String name) {
    TableInfo table = tables.createTable(new TableMeta(name, List.of(key("id"))));
    numbers.add("table " + table.tableId());
    table.partitions().forEach(partition -> numbers.add("partition " + partition.id()));
    numbers.add(
        "tunnel "
            + tunnels
                .createTunnel(
                    new CreateTunnelRequest(name, "t", TunnelType.Stream, StreamStart.EARLIEST))
                .getTunnelId());
  }

  /** Numbers that only the catalog has: starts and incarnations. */
  private static void ofCatalog(Path data, SortedSet<String> numbers) throws IOException {
    StoredCatalog catalog = StoredCatalog.read(data.resolve("catalog"));
    numbers.add("start " + catalog.tunnels().starts());
    String incarnations = catalog.texts().get("incarnations");
    Matcher number = NUMBER.matcher(incarnations);
    String newest = "";
    while (number.find()) {
      newest = number.group();
    }
    numbers.add("incarnation " + newest);
  }

  @Test
  void no_number_of_the_former_server_is_given_to_something_else() throws Exception {
    Path data = directory.resolve("data");
    Path restored = directory.resolve("restored");
    Path twin = directory.resolve("twin");
    try (Server server = TestDirectory.server(data);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        TunnelClient tunnels = new TunnelClient(TestDirectory.endpoint(server));
        BackupDirectory target = BackupDirectory.create(directory.resolve("backup"))) {
      var unused = tables.createTable(new TableMeta("bound", List.of(key("id"))));
      var unusedNumbered =
          tables.createTable(
              new TableMeta("numbered", List.of(key("shop"), PrimaryKeySchema.auto("number"))));
      numbers(tables, given);
      backup(data, target, tables);
      assertThat(given).as("the backup had a session").anyMatch(each -> each.startsWith("session"));
      create(tables, tunnels, given, "later");
      session(tables, given, PrimaryKey.builder().add("id", "later").build()).close();
      ofCatalog(data, given);
      var unusedRevived =
          Restore.run(target, target.set(Optional.empty()), restored, new Random(1), count -> {});
      var unusedTwin =
          Restore.run(target, target.set(Optional.empty()), twin, new Random(2), count -> {});
    }
    SortedSet<String> again = new TreeSet<>();
    try (Server server = TestDirectory.server(restored);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        TunnelClient tunnels = new TunnelClient(TestDirectory.endpoint(server))) {
      create(tables, tunnels, again, "other");
      numbers(tables, again);
      try (RowSession session = session(tables, again, OWN)) {
        awaitGone(tables, STRANGE);
        assertThat(session.isOpen()).isTrue();
        assertThat(tables.getRow("bound", OWN)).isPresent();
      }
      ofCatalog(restored, again);
    }
    assertThat(again).hasSize(8).doesNotContainAnyElementsOf(given);
    SortedSet<String> ofTwin = new TreeSet<>();
    try (Server server = TestDirectory.server(twin);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        TunnelClient tunnels = new TunnelClient(TestDirectory.endpoint(server))) {
      create(tables, tunnels, ofTwin, "another");
      session(tables, ofTwin, OWN).close();
      ofCatalog(twin, ofTwin);
    }
    assertThat(ofTwin)
        .as("of a second restore of the same backup")
        .hasSize(6)
        .doesNotContainAnyElementsOf(given)
        .doesNotContainAnyElementsOf(again);
  }

  @Test
  void a_restore_ends_the_row_sessions_of_the_backup() throws Exception {
    Path data = directory.resolve("data");
    Path restored = directory.resolve("restored");
    try (Server server = TestDirectory.server(data);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        BackupDirectory target = BackupDirectory.create(directory.resolve("backup"))) {
      var unusedTable = tables.createTable(new TableMeta("bound", List.of(key("id"))));
      RowSession session = session(tables, given, OWN);
      var unusedBackup =
          Backup.take(data, target, new Backup.Options(false, Optional.empty()), 1, count -> {});
      assertThat(session.write("bound", List.of(put(STRANGE))).allApplied())
          .as("a row that the backup lacks, of a session that it has")
          .isTrue();
      var unusedRevived =
          Restore.run(target, target.set(Optional.empty()), restored, new Random(1), count -> {});
    }
    assertThat(StoredCatalog.read(restored.resolve("catalog")).texts().keySet())
        .noneMatch(name -> name.startsWith("rowsession/"));
    try (Server server = TestDirectory.server(restored);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server))) {
      awaitGone(tables, OWN);
    }
  }

  private static void awaitGone(TableClient tables, PrimaryKey row) {
    long deadline = System.nanoTime() + LEASE.toNanos();
    while (tables.getRow("bound", row).isPresent() && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    assertThat(tables.getRow("bound", row)).as("the row of a dead session").isEmpty();
  }

  /** Takes a backup; opens a session after the backup has read the catalog and before the log. */
  private void backup(Path data, BackupDirectory target, TableClient tables) throws IOException {
    var unused =
        Backup.take(
            data,
            target,
            new Backup.Options(false, Optional.empty()),
            1,
            count -> {
              if (given.stream().noneMatch(each -> each.startsWith("session"))) {
                numbers(tables, given);
                var open = session(tables, given, STRANGE);
                assertThat(open.isOpen()).isTrue();
              }
            });
  }
}
