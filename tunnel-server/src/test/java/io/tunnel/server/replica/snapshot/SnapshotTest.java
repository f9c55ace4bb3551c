package io.tunnel.server.replica.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.replica.snapshot.SnapshotDamagedException.Trouble;
import io.tunnel.server.replica.snapshot.SnapshotWriter.State;
import io.tunnel.server.table.KeyRange;
import io.tunnel.server.table.RandomTable;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A snapshot from a table to a table, over a log of blocks that is intact or is not. */
final class SnapshotTest {

  private static final int PARTITION = 2;
  private static final long ID = SnapshotWriter.id(77, 1);
  private static final Bytes STATE = Bytes.copyOf(new byte[] {4, 2});
  private static final long PINNED_NANOS_MAX = 1_000_000_000L;

  @TempDir private Path directory;
  private TableStore from;
  private TableStore to;
  private MemoryBlocks blocks;

  @BeforeEach
  void open() throws IOException {
    from = RandomTable.open(directory.resolve("from"));
    to = RandomTable.open(directory.resolve("to"));
    blocks = new MemoryBlocks(true);
  }

  @AfterEach
  void close() throws IOException {
    from.close();
    to.close();
  }

  private SnapshotContent write(long id) {
    SnapshotWriter.Source source =
        new SnapshotWriter.Source(PARTITION, id, from.scanEntries(PARTITION));
    try (SnapshotWriter writer =
        new SnapshotWriter(source, blocks, Runnable::run, PINNED_NANOS_MAX)) {
      for (long now = 0; writer.state() == State.WRITING; now = writer.dueNanos()) {
        var unused = writer.step(now, 1L << 40);
      }
      assertThat(writer.state()).isEqualTo(State.COMPLETE);
      assertThat(writer.content().bytes()).isEqualTo(writer.bytes());
      return writer.content();
    }
  }

  private void load(MemoryBlocks found, SnapshotContent content) throws IOException {
    SnapshotReader reader = new SnapshotReader(found, PARTITION, ID, content);
    try (SnapshotLoad load = new SnapshotLoad(reader, to.load(PARTITION), STATE)) {
      while (!load.step()) {
        assertThat(to.states()).doesNotContainKey(PARTITION);
      }
      assertThat(load.step()).as("a complete load stays complete").isTrue();
    }
  }

  /** Values of half a MiB are no text for a message. */
  private void requireEqual(Map<String, Bytes> expected) {
    Map<String, Bytes> found = RandomTable.entries(to, PARTITION);
    assertThat(found).containsOnlyKeys(expected.keySet());
    for (Map.Entry<String, Bytes> each : expected.entrySet()) {
      assertThat(found.get(each.getKey()).equals(each.getValue())).as(each.getKey()).isTrue();
    }
  }

  private void fillLargely() throws IOException {
    RandomTable rows = new RandomTable(new Random(6));
    for (int i = 0; i < 20; i++) {
      rows.fold(from, 3);
    }
    String half = "x".repeat(1 << 19);
    for (int i = 0; i < 14; i++) {
      Column large = new Column("c", ColumnValue.fromString(half + i));
      from.fold(
          List.of(TestRows.batch(PARTITION, TestRows.put("z" + (10 + i), large))),
          from.foldedOffset() + 1);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void a_table_with_entries_of_all_ranges_comes_back_from_its_blocks(long seed) throws IOException {
    Random random = new Random(seed);
    RandomTable rows = new RandomTable(random);
    for (int i = random.nextInt(60); i > 0; i--) {
      rows.fold(from, 3);
    }
    Map<String, Bytes> expected = RandomTable.entries(from, PARTITION);
    SnapshotContent content = write(ID);
    assertThat(content.rows())
        .isEqualTo(expected.keySet().stream().filter(key -> key.startsWith("ROW")).count());
    load(blocks, content);
    assertThat(RandomTable.entries(to, PARTITION)).isEqualTo(expected);
    assertThat(to.states()).containsEntry(PARTITION, STATE);
    assertThat(from.snapshotCount()).isZero();
  }

  @Test
  void an_empty_partition_and_a_partition_of_many_blocks_come_back() throws IOException {
    SnapshotContent empty = write(ID);
    assertThat(empty.count()).isEqualTo(1);
    load(blocks, empty);
    assertThat(RandomTable.entries(to, PARTITION)).isEmpty();
    fillLargely();
    blocks = new MemoryBlocks(true);
    SnapshotContent content = write(ID);
    assertThat(content.count()).isGreaterThan(6);
    load(blocks, content);
    requireEqual(RandomTable.entries(from, PARTITION));
  }

  @Test
  void blocks_of_a_former_leader_and_copies_of_blocks_are_passed_over() throws IOException {
    fillLargely();
    SnapshotContent content = write(ID);
    SnapshotContent foreign = write(SnapshotWriter.id(77, 2));
    List<Bytes> all = List.copyOf(blocks.log.values());
    MemoryBlocks mixed = new MemoryBlocks(true);
    long offset = content.firstOffset();
    for (int i = 0; i < content.count(); i++) {
      mixed.log.put(offset++, all.get(content.count() + i % foreign.count()));
      mixed.log.put(offset++, all.get(i));
      mixed.log.put(offset++, all.get(i / 2));
      mixed.log.put(offset++, Bytes.copyOf(new byte[] {1, 2, 3, 4, 5, 6}));
    }
    load(mixed, content);
    requireEqual(RandomTable.entries(from, PARTITION));
  }

  /** No node serves a partition of these blocks. */
  private void requireRefused(
      Map<Long, Bytes> damaged, SnapshotContent content, Trouble trouble, int block) {
    assertThatThrownBy(() -> load(MemoryBlocks.of(damaged), content))
        .isInstanceOfSatisfying(
            SnapshotDamagedException.class,
            e -> {
              assertThat(e.trouble()).isEqualTo(trouble);
              assertThat(e.block()).isEqualTo(block);
              assertThat(e.snapshot()).isEqualTo(ID);
              assertThat(e).hasMessageContaining("block " + block + " of snapshot " + ID);
            });
    assertThat(to.states()).isEmpty();
    assertThatThrownBy(
            () -> {
              SnapshotReader verify =
                  new SnapshotReader(MemoryBlocks.of(damaged), PARTITION, ID, content);
              while (!verify.step()) {
                // The next block.
              }
            })
        .isInstanceOf(SnapshotDamagedException.class);
  }

  @Test
  void a_block_that_is_lost_cut_flipped_doubled_or_misplaced_is_named() throws IOException {
    fillLargely();
    SnapshotContent content = write(ID);
    TreeMap<Long, Bytes> intact = new TreeMap<>(blocks.log);
    List<Long> at = List.copyOf(intact.keySet());
    for (int number = 0; number < content.count(); number++) {
      TreeMap<Long, Bytes> lost = new TreeMap<>(intact);
      byte[] bytes = lost.remove(at.get(number)).toByteArray();
      requireRefused(lost, content, Trouble.MISSING, number);
      TreeMap<Long, Bytes> cut = new TreeMap<>(intact);
      cut.put(at.get(number), Bytes.copyOf(bytes, 0, bytes.length / 2));
      requireRefused(cut, content, Trouble.DAMAGED, number);
      TreeMap<Long, Bytes> flipped = new TreeMap<>(intact);
      bytes[bytes.length / 3] ^= 4;
      flipped.put(at.get(number), Bytes.copyOf(bytes));
      requireRefused(flipped, content, Trouble.DAMAGED, number);
    }
    TreeMap<Long, Bytes> swapped = new TreeMap<>(intact);
    swapped.put(at.get(2), intact.get(at.get(3)));
    swapped.put(at.get(3), intact.get(at.get(2)));
    requireRefused(swapped, content, Trouble.MISSING, 2);
    TreeMap<Long, Bytes> doubled = new TreeMap<>(intact);
    SnapshotBlock.Open other = new SnapshotBlock.Open(ID, 1);
    doubled.put(at.get(1) + 1, other.end());
    requireRefused(doubled, content, Trouble.DOUBLED, 1);
  }

  @Test
  void a_block_of_another_snapshot_does_not_stand_in_for_a_lost_one() throws IOException {
    fillLargely();
    SnapshotContent content = write(ID);
    TreeMap<Long, Bytes> intact = new TreeMap<>(blocks.log);
    write(ID + 1);
    List<Bytes> all = List.copyOf(blocks.log.values());
    Long third = List.copyOf(intact.keySet()).get(2);
    intact.put(third, all.get(content.count() + 2));
    requireRefused(intact, content, Trouble.MISSING, 2);
  }

  @Test
  void blocks_that_are_not_those_of_the_record_are_miscounted_or_misordered() throws IOException {
    fillLargely();
    SnapshotContent is = write(ID);
    int last = is.count() - 1;
    for (SnapshotContent wrong :
        List.of(
            new SnapshotContent(
                is.firstOffset(), is.count(), is.rows() + 1, is.bytes(), is.crc32c()),
            new SnapshotContent(
                is.firstOffset(), is.count(), is.rows(), is.bytes() - 1, is.crc32c()),
            new SnapshotContent(
                is.firstOffset(), is.count(), is.rows(), is.bytes(), is.crc32c() ^ 1))) {
      requireRefused(blocks.log, wrong, Trouble.MISCOUNTED, last);
    }
    SnapshotContent fewer =
        new SnapshotContent(is.firstOffset(), 3, is.rows(), is.bytes(), is.crc32c());
    requireRefused(blocks.log, fewer, Trouble.MISCOUNTED, 2);
    MemoryBlocks misordered = new MemoryBlocks(true);
    SnapshotBlock.Open open = new SnapshotBlock.Open(ID, 0);
    byte[] value = new byte[8];
    assertThat(open.add(KeyRange.SESSION, new byte[] {2}, 0, value)).isTrue();
    assertThat(open.add(KeyRange.SESSION, new byte[] {1}, 0, value)).isTrue();
    misordered.log.put(0L, open.endAsLast(0, 2));
    requireRefused(misordered.log, new SnapshotContent(0, 1, 0, 10, 0), Trouble.MISORDERED, 0);
    SnapshotBlock.Open twice = new SnapshotBlock.Open(ID, 0);
    assertThat(twice.add(KeyRange.BOUND, new byte[0], 0, value)).isTrue();
    assertThat(twice.add(KeyRange.BOUND, new byte[0], 0, value)).isTrue();
    misordered.log.put(0L, twice.endAsLast(0, 2));
    requireRefused(misordered.log, new SnapshotContent(0, 1, 0, 10, 0), Trouble.MISORDERED, 0);
  }

  @Test
  void changes_while_a_snapshot_is_written_do_not_appear() throws IOException {
    fillLargely();
    Map<String, Bytes> before = RandomTable.entries(from, PARTITION);
    RandomTable later = new RandomTable(new Random(99));
    SnapshotWriter.Source source =
        new SnapshotWriter.Source(PARTITION, ID, from.scanEntries(PARTITION));
    try (SnapshotWriter writer =
        new SnapshotWriter(source, blocks, Runnable::run, PINNED_NANOS_MAX)) {
      int steps = 0;
      for (long now = 0; writer.step(now, 1L << 40) == State.WRITING; now = writer.dueNanos()) {
        later.fold(from, 3);
        steps++;
      }
      assertThat(steps).isGreaterThan(10);
      load(blocks, writer.content());
    }
    requireEqual(before);
  }
}
