package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Service;
import io.tunnel.it.process.Stage;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.server.backup.Backup;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.Restore;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Readers that keep their positions themselves, and a server that gives positions again. Without a
 * refusal readers would go on behind their position, and skip the new changes in front of it.
 */
@Tag("proof-service")
class LostPositionsTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  @RegisterExtension final Stage stage = new Stage();

  private ServerProcess server;
  private TableClient tables;
  private TableInfo table;
  private int partition;

  @BeforeEach
  void begin() {
    server = stage.server();
    tables = stage.tables(server);
    table = new TestTable("orders", 1, Durability.OS).create(tables);
    partition = table.partitions().get(0).id();
  }

  private void write(long from, long to) {
    List<RowChange> rows = new ArrayList<>();
    for (long value = from; value <= to; value++) {
      rows.add(TestTable.put(value, "k" + value, value));
    }
    tables.write("orders", rows);
  }

  private PartitionReader reader(Service service) {
    return stage.closing(
        new PartitionReader(service.client(), table, PartitionReaderConfig.DEFAULTS));
  }

  /** The values of the next {@code count} records; what is known with each by its position. */
  private static List<Long> values(
      PartitionReader reader, int count, Map<Long, KnownPosition> known)
      throws InterruptedException {
    List<Long> values = new ArrayList<>();
    while (values.size() < count) {
      PartitionRecords next = reader.poll(LONG).orElseThrow();
      for (StreamRecord record : next.records()) {
        values.add(record.value("v").orElseThrow().asLong());
        known.put(
            record.position(),
            new KnownPosition(record.position(), next.incarnation().orElseThrow()));
      }
      next.release();
    }
    return values;
  }

  private Map<Path, Long> segments() throws IOException {
    Map<Path, Long> sizes = new HashMap<>();
    try (Stream<Path> files = Files.walk(server.data())) {
      for (Path file : files.filter(each -> each.toString().endsWith(".log")).toList()) {
        if (file.getParent().endsWith("log")) {
          sizes.put(file, Files.size(file));
        }
      }
    }
    return sizes;
  }

  /** What a machine does that goes down before its system has written the ends of these files. */
  private void losePower(Map<Path, Long> written) throws IOException {
    server.kill();
    for (Map.Entry<Path, Long> file : written.entrySet()) {
      try (FileChannel channel = FileChannel.open(file.getKey(), StandardOpenOption.WRITE)) {
        channel.truncate(file.getValue());
      }
    }
    server.start();
  }

  private static void assertReplaced(PartitionReader reader, long known, long kept) {
    RefusedException refused =
        catchThrowableOfType(RefusedException.class, () -> reader.poll(LONG));
    assertThat(refused.code()).isEqualTo(ErrorCode.POSITION_REPLACED);
    assertThat(refused).hasMessageContaining("up to position " + known);
    assertThat(refused).hasMessageContaining("behind " + kept);
  }

  private PartitionReader going(Service service, KnownPosition known) {
    PartitionReader reader = reader(service);
    reader.start(ReadStart.changes(partition, known.position()).knowing(known));
    return reader;
  }

  @Test
  void who_knows_changes_that_went_with_the_power_is_refused_and_others_skip_nothing()
      throws Exception {
    write(1, 5);
    Map<Path, Long> written = segments();
    PartitionReader live = reader(server);
    live.start(ReadStart.changes(partition, 0));
    write(6, 10);
    Map<Long, KnownPosition> known = new HashMap<>();
    assertThat(values(live, 10, known)).hasSize(10);
    losePower(written);
    write(101, 115);
    assertReplaced(live, 10, 5);
    assertReplaced(going(server, known.get(10L)), 10, 5);
    assertReplaced(going(server, known.get(6L)), 6, 5);
    Map<Long, KnownPosition> later = new HashMap<>();
    assertThat(values(going(server, known.get(5L)), 15, later))
        .containsExactlyElementsOf(Stream.iterate(101L, value -> value + 1).limit(15).toList());
    PartitionReader rows = reader(server);
    rows.start(ReadStart.rows(partition).knowing(known.get(10L)));
    assertReplaced(rows, 10, 5);
    server.stop();
    server.start();
    write(116, 116);
    assertThat(values(going(server, later.get(20L)), 1, later))
        .as("nothing was lost by a stop")
        .containsExactly(116L);
  }

  @Test
  void a_killed_process_loses_nothing_and_refuses_nobody() throws Exception {
    write(1, 5);
    PartitionReader live = reader(server);
    live.start(ReadStart.changes(partition, 0));
    Map<Long, KnownPosition> known = new HashMap<>();
    assertThat(values(live, 5, known)).hasSize(5);
    server.kill();
    server.start();
    write(6, 7);
    assertThat(values(live, 2, known)).containsExactly(6L, 7L);
    assertThat(values(going(server, known.get(3L)), 4, known)).containsExactly(4L, 5L, 6L, 7L);
  }

  @Test
  void who_knows_changes_behind_a_backup_is_refused_when_that_is_restored() throws Exception {
    write(1, 5);
    Path copies = stage.path("backup");
    ServerProcess again = new ServerProcess(stage, stage.path("data"), List.of());
    try (BackupDirectory backup = BackupDirectory.create(copies)) {
      Backup.Options options = new Backup.Options(false, Optional.empty());
      Backup.Outcome taken = Backup.take(server.data(), backup, options, 1, count -> {});
      var unused = Restore.run(backup, taken.set(), again.data(), new Random(1), count -> {});
    }
    write(6, 10);
    PartitionReader live = reader(server);
    live.start(ReadStart.changes(partition, 0));
    Map<Long, KnownPosition> known = new HashMap<>();
    assertThat(values(live, 10, known)).hasSize(10);
    server.kill();
    Map<Long, KnownPosition> since = new HashMap<>();
    server.start();
    assertThat(values(going(server, known.get(2L)), 8, since)).hasSize(8);
    server.stop();
    again.start();
    tables = stage.tables(again);
    write(101, 115);
    assertReplaced(going(again, known.get(10L)), 10, 5);
    assertReplaced(going(again, since.get(3L)), 3, 0);
    assertThat(values(going(again, known.get(5L)), 1, known).get(0)).isEqualTo(101L);
  }
}
