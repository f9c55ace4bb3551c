package io.tunnel.server.replica.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.replica.snapshot.SnapshotWriter.State;
import io.tunnel.server.table.RandomTable;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SnapshotWriterTest {

  private static final long SECOND = 1_000_000_000L;
  private static final int ROWS = 24;
  private static final int ROW_BYTES = 1 << 19;

  @TempDir private Path directory;
  private final Queue<Runnable> posted = new ArrayDeque<>();
  private final MemoryBlocks blocks = new MemoryBlocks(false);
  private TableStore from;
  private SnapshotWriter writer;

  @BeforeEach
  void begin() throws IOException {
    from = RandomTable.open(directory);
    for (int i = 0; i < ROWS; i++) {
      Column large = new Column("c", ColumnValue.fromString("x".repeat(ROW_BYTES) + i));
      from.fold(List.of(TestRows.batch(1, TestRows.put("z" + (10 + i), large))), 1 + i);
    }
    writer = open();
  }

  private SnapshotWriter open() {
    return new SnapshotWriter(
        new SnapshotWriter.Source(1, SnapshotWriter.id(5, 1), from.scanEntries(1)),
        blocks,
        posted::add,
        100 * SECOND);
  }

  @AfterEach
  void end() throws IOException {
    writer.close();
    assertThat(from.snapshotCount()).as("snapshots of RocksDB").isZero();
    from.close();
  }

  private void runPosted() {
    while (!posted.isEmpty()) {
      posted.remove().run();
    }
  }

  /** Steps until the writer has appended all that may be in flight. */
  private void fill(long now) {
    for (int i = 0; i < 50; i++) {
      var unused = writer.step(Math.max(now, writer.dueNanos()), Long.MAX_VALUE);
    }
  }

  @Test
  void no_more_than_four_blocks_are_in_flight_and_the_log_says_when_all_are_there() {
    fill(0);
    assertThat(blocks.waiting).hasSize(4);
    assertThat(writer.state()).isEqualTo(State.WRITING);
    while (writer.state() == State.WRITING) {
      blocks.acknowledge(1);
      assertThat(posted).as("what the log says comes by the owner's thread").hasSize(1);
      runPosted();
      fill(0);
      assertThat(blocks.waiting).hasSizeLessThanOrEqualTo(4);
    }
    assertThat(writer.state()).isEqualTo(State.SETTLING);
    assertThat(from.snapshotCount()).as("released when all is read").isZero();
    assertThatThrownBy(writer::content).isInstanceOf(IllegalStateException.class);
    assertThat(blocks.waiting).hasSizeGreaterThan(1);
    while (!blocks.waiting.isEmpty()) {
      assertThat(writer.state()).isEqualTo(State.SETTLING);
      blocks.acknowledge(1);
      runPosted();
    }
    assertThat(writer.state()).isEqualTo(State.COMPLETE);
    assertThat(writer.content().firstOffset()).isEqualTo(blocks.log.firstKey());
    assertThat(writer.content().count()).isEqualTo(blocks.log.size());
    assertThat(writer.content().rows()).isEqualTo(ROWS);
    writer.close();
    assertThat(writer.state()).as("a complete snapshot stays").isEqualTo(State.COMPLETE);
  }

  @Test
  void acknowledgements_out_of_order_count_when_those_before_have_come() {
    fill(0);
    blocks.waiting.add(0, blocks.waiting.remove(1));
    blocks.acknowledge(1);
    runPosted();
    fill(0);
    assertThat(blocks.waiting).as("the first block is still in flight").hasSize(3);
    blocks.acknowledge(1);
    runPosted();
    fill(0);
    assertThat(blocks.waiting).hasSize(4);
    assertThat(writer.state()).isEqualTo(State.WRITING);
  }

  @Test
  void the_pace_is_kept_and_may_change_at_each_step() {
    long bytesPerSecond = 1 << 20;
    writer.step(7 * SECOND, bytesPerSecond);
    long first = writer.dueNanos() - 7 * SECOND;
    assertThat(first).isBetween(SECOND / 2, SECOND);
    int before = blocks.waiting.size();
    writer.step(7 * SECOND + first - 1, bytesPerSecond);
    assertThat(writer.dueNanos()).as("not due").isEqualTo(7 * SECOND + first);
    assertThat(blocks.waiting).hasSize(before);
    long now = writer.dueNanos();
    // The second row does not fit into the block: the step appends the block and reads nothing.
    writer.step(now, 4 * bytesPerSecond);
    assertThat(writer.dueNanos()).isEqualTo(now);
    writer.step(now, 4 * bytesPerSecond);
    assertThat(writer.dueNanos() - now).isBetween(SECOND / 8, SECOND / 4);
  }

  @Test
  void a_block_of_unknown_fate_ends_the_snapshot() {
    fill(0);
    blocks.lose();
    runPosted();
    assertThat(writer.state()).isEqualTo(State.NOT_STORED);
    assertThat(writer.why()).contains("block 0");
    assertThat(from.snapshotCount()).isZero();
    blocks.acknowledge(3);
    runPosted();
    assertThat(writer.step(0, 1)).isEqualTo(State.NOT_STORED);
    assertThatThrownBy(writer::content).hasMessageContaining("NOT_STORED");
  }

  @Test
  void a_snapshot_that_is_stopped_is_released_at_once() {
    fill(0);
    writer.close();
    assertThat(from.snapshotCount()).isZero();
    assertThat(writer.state()).isEqualTo(State.STOPPED);
    int appended = blocks.log.size();
    blocks.acknowledge(4);
    runPosted();
    fill(0);
    assertThat(blocks.log).hasSize(appended);
  }

  @Test
  void a_snapshot_is_not_pinned_for_ever() {
    writer.step(0, 1);
    assertThat(writer.step(100 * SECOND, 1)).isEqualTo(State.WRITING);
    assertThat(writer.step(100 * SECOND + 1, 1)).isEqualTo(State.TOO_LONG);
    assertThat(from.snapshotCount()).isZero();
  }

  @Test
  void a_table_that_is_closed_meanwhile_ends_the_snapshot() throws IOException {
    writer.step(0, Long.MAX_VALUE);
    from.close();
    fill(0);
    assertThat(writer.state()).isEqualTo(State.STOPPED);
    from = RandomTable.open(directory);
  }

  @Test
  void there_is_no_snapshot_of_a_damaged_table() throws IOException {
    writer.close();
    from.close();
    Path file;
    try (Stream<Path> files = Files.list(directory)) {
      file = files.filter(each -> each.toString().endsWith(".sst")).findFirst().orElseThrow();
    }
    try (RandomAccessFile damaged = new RandomAccessFile(file.toFile(), "rw")) {
      damaged.seek(damaged.length() / 2);
      int old = damaged.read();
      damaged.seek(damaged.length() / 2);
      damaged.write(old ^ 1);
    }
    from = RandomTable.open(directory);
    writer = open();
    for (int i = 0; i < 20; i++) {
      fill(0);
      blocks.acknowledge(blocks.waiting.size());
      runPosted();
    }
    assertThat(writer.state()).isEqualTo(State.DAMAGED);
    assertThat(writer.why()).contains("cannot be read");
    assertThatThrownBy(writer::content).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void ids_rise_from_leader_to_leader_and_from_attempt_to_attempt() {
    assertThat(SnapshotWriter.id(0, 1)).isPositive();
    assertThat(SnapshotWriter.id(5, 2)).isGreaterThan(SnapshotWriter.id(5, 1));
    assertThat(SnapshotWriter.id(6, 1)).isGreaterThan(SnapshotWriter.id(5, 65_535));
    assertThatThrownBy(() -> SnapshotWriter.id(-1, 1)).hasMessageContaining("offset -1");
    assertThatThrownBy(() -> SnapshotWriter.id(1L << 47, 1)).hasMessageContaining("offset");
  }
}
