package io.tunnel.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.TableClient;
import io.tunnel.server.Server;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.log.LogIdentity;
import io.tunnel.server.log.LogMend;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A salvage of damaged groups, which the SDK has written with each attribute that a batch or a row
 * may have, loses the damaged batches alone.
 */
final class SalvagedWritesTest {

  private static final int ROUNDS = 12;
  private static final int ATTEMPTS_MAX = 50;
  private static final int GROUP_HEADER_BYTES = 32;
  private static final int BATCH_HEADER_BYTES = ChangeBatch.HEADER_BYTES_MIN;

  @TempDir private static Path template;
  private static final List<Segment> SEGMENTS = new ArrayList<>();

  /** A file of a log, with its groups. */
  private record Segment(Path file, List<List<Batch>> groups) {}

  /** Where a batch of the log stands, and its changes. */
  private record Batch(int from, int end, ChangeBatch batch) {

    /** What is lost with it: no changes when the batch has answers alone. */
    List<LostHistory> changes() {
      return batch.rowCount() == 0
          ? List.of()
          : List.of(new LostHistory(batch.partition(), batch.basePosition(), batch.lastPosition()));
    }
  }

  @BeforeAll
  static void fill() throws IOException {
    Path data = template.resolve("data");
    try (Server server = TestDirectory.server(data, 1);
        TableClient tables = TableClient.connect(TestDirectory.endpoint(server));
        RowSession session = tables.openSession(Duration.ofSeconds(60))) {
      create(tables, "plain", new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
      create(tables, "counted", new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
      create(tables, "atomic", new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
      create(tables, "bound", new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
      create(
          tables,
          "numbered",
          new PrimaryKeySchema("shop", PrimaryKeyType.STRING),
          PrimaryKeySchema.auto("id"));
      // Which batches share a group is up to the threads of the server.
      int round = 0;
      for (int left = ATTEMPTS_MAX; left > 0 && !hasLargeGroup(data); left--) {
        List<CompletableFuture<BatchWriteResult>> all = new ArrayList<>();
        for (int end = round + ROUNDS; round < end; round++) {
          all.addAll(write(tables, session, round));
        }
        all.forEach(written -> assertThat(written.join().allApplied()).isTrue());
      }
    }
    assertThat(hasLargeGroup(data)).as("a group of several batches").isTrue();
    SEGMENTS.addAll(segments(data));
  }

  private static boolean hasLargeGroup(Path data) throws IOException {
    return segments(data).stream()
        .flatMap(segment -> segment.groups().stream())
        .anyMatch(group -> group.size() >= 4);
  }

  private static List<Segment> segments(Path data) throws IOException {
    List<Segment> segments = new ArrayList<>();
    try (Stream<Path> files = Files.list(data.resolve("shard-0").resolve("log"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".log")).sorted().toList()) {
        segments.add(new Segment(file, groups(Files.readAllBytes(file))));
      }
    }
    return segments;
  }

  private static void create(TableClient tables, String name, PrimaryKeySchema... key) {
    var unused =
        tables.createTable(
            new TableMeta(name, List.of(key), TableOptions.DEFAULT.withTtl(Duration.ofDays(9))));
  }

  private static PrimaryKey key(int id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static RowChange put(PrimaryKey key, int value) {
    ColumnValue text = ColumnValue.fromString("value " + value + " " + "x".repeat(value % 90));
    return new RowPutChange(key, List.of(new Column("v", text)));
  }

  private static RowChange add(int id) {
    return new RowUpdateChange(key(id), List.of(new ColumnUpdate.Increment("n", 1)));
  }

  /** At once, so that the server puts the batches into few groups. */
  private static List<CompletableFuture<BatchWriteResult>> write(
      TableClient tables, RowSession session, int round) {
    List<CompletableFuture<BatchWriteResult>> all = new ArrayList<>();
    RowChange deleted = new RowDeleteChange(key(round - 1));
    all.add(tables.tryWriteAsync("plain", List.of(put(key(round), round), deleted)));
    all.add(tables.tryWriteAsync("counted", List.of(add(1), add(2))));
    all.add(
        tables.tryWriteAsync("counted", List.of(add(1).returning(Returning.columns("n")), add(3))));
    all.add(
        tables.tryWriteAtomicallyAsync("atomic", List.of(put(key(1), round), put(key(2), round))));
    all.add(session.tryWriteAsync("bound", List.of(put(key(round), round))));
    PrimaryKey auto = PrimaryKey.builder().add("shop", "a").auto("id").build();
    all.add(
        tables.tryWriteAsync(
            "numbered", List.of(put(auto, round).returning(Returning.KEY), put(auto, round))));
    all.add(tables.tryWriteAsync("plain", List.of(put(key(1_000 + round), round))));
    return all;
  }

  private static List<List<Batch>> groups(byte[] file) {
    List<List<Batch>> groups = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(file);
    for (int at = GROUP_HEADER_BYTES; at < file.length; ) {
      int end = at + GROUP_HEADER_BYTES + bytes.getInt(at + 24);
      List<Batch> group = new ArrayList<>();
      for (int next = at + GROUP_HEADER_BYTES; next < end; ) {
        ChangeBatch batch = ChangeBatch.parse(file, next, end);
        group.add(new Batch(next, next + batch.byteCount(), batch));
        next += batch.byteCount();
      }
      groups.add(group);
      at = end;
    }
    return groups;
  }

  private static LogMend plan(Path log) throws IOException {
    StoredCatalog catalog = StoredCatalog.read(template.resolve("data").resolve("catalog"));
    LogIdentity identity = new LogIdentity(0, catalog.origin());
    return LogMend.plan(log, identity, catalog.tables()::hasPartition, 0);
  }

  /** What a salvage gives up when these bytes of a file are others. */
  private static List<LostHistory> lost(Segment segment, List<Integer> flipped, Random random)
      throws IOException {
    byte[] whole = Files.readAllBytes(segment.file());
    byte[] damaged = whole.clone();
    for (int at : flipped) {
      damaged[at] ^= (byte) (1 + random.nextInt(255));
    }
    Files.write(segment.file(), damaged);
    try {
      return plan(segment.file().getParent()).lost();
    } finally {
      Files.write(segment.file(), whole);
    }
  }

  @Test
  void one_wrong_byte_costs_its_batch_alone_whatever_the_batch_says() throws IOException {
    Random random = new Random(1);
    for (Segment segment : SEGMENTS) {
      for (List<Batch> group : segment.groups()) {
        for (Batch batch : group) {
          List<Integer> places = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            places.add(batch.from() + random.nextInt(BATCH_HEADER_BYTES));
            places.add(batch.from() + random.nextInt(batch.end() - batch.from()));
          }
          places.addAll(List.of(batch.from() + 3, batch.from() + 9, batch.end() - 1));
          for (int place : places) {
            assertThat(lost(segment, List.of(place), random))
                .as("byte %d of %s in %s", place - batch.from(), batch, segment.file())
                .isEqualTo(batch.changes());
          }
        }
      }
    }
  }

  /** Answers without rows are no changes; a salvage that lost some would not say so. */
  @Test
  void a_wrong_length_leaves_every_other_batch_as_it_was(@TempDir Path copies) throws IOException {
    for (Segment segment : SEGMENTS) {
      byte[] whole = Files.readAllBytes(segment.file());
      for (List<Batch> group : segment.groups()) {
        for (Batch batch : group) {
          Path log = Files.createTempDirectory(copies, "log");
          byte[] damaged = whole.clone();
          damaged[batch.from() + 2]++;
          Path file = Files.write(log.resolve(segment.file().getFileName()), damaged);
          plan(log).execute((taken, isCopy) -> {});
          byte[] mended = Files.readAllBytes(file);
          for (Batch other : group) {
            if (other.from() != batch.from()) {
              assertThat(Arrays.copyOfRange(mended, other.from(), other.end()))
                  .as("%s beside %s in %s", other, batch, segment.file())
                  .isEqualTo(Arrays.copyOfRange(whole, other.from(), other.end()));
            }
          }
        }
      }
    }
  }

  @Test
  void wrong_lengths_of_several_batches_of_a_group_cost_these_batches_alone() throws IOException {
    Random random = new Random(2);
    for (Segment segment : SEGMENTS) {
      for (List<Batch> group : segment.groups()) {
        for (int first = 0; first + 2 < group.size(); first++) {
          Batch one = group.get(first);
          Batch other = group.get(first + 2);
          List<LostHistory> both = new ArrayList<>(one.changes());
          both.addAll(other.changes());
          assertThat(lost(segment, List.of(one.from() + 2, other.from() + 2), random))
              .as("batches %d and %d of %s", first, first + 2, group)
              .containsExactlyInAnyOrderElementsOf(both);
        }
      }
    }
  }

  @Test
  void a_wrong_byte_in_the_header_of_a_group_costs_nothing() throws IOException {
    Random random = new Random(3);
    for (Segment segment : SEGMENTS) {
      for (List<Batch> group : segment.groups()) {
        int place = group.get(0).from() - 1 - random.nextInt(GROUP_HEADER_BYTES);
        assertThat(lost(segment, List.of(place), random)).as("byte %d", place).isEmpty();
      }
    }
  }
}
