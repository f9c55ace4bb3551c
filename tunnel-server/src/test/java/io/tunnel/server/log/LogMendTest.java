package io.tunnel.server.log;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WrittenRows;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.disk.FileDisk;
import io.tunnel.server.disk.ReadOnlyFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damages logs, gives up what is damaged, and holds what is left against what was written. */
final class LogMendTest {

  private static final LogIdentity IDENTITY = new LogIdentity(3, 77);
  private static final int PARTITIONS = 4;
  private static final int SEGMENT_BYTES = 6_000;

  @TempDir private Path directory;
  private Path log;
  private Path aside;
  private final List<Placed> placed = new ArrayList<>();

  /** Where a batch stood before the damage. */
  private record Placed(Path file, long from, long end, int partition, long first, long last) {}

  @BeforeEach
  void prepare() {
    log = directory.resolve("log");
    aside = directory.resolve("aside");
  }

  private LocalLog open() throws IOException {
    return LocalLog.open(new FileDisk(log), IDENTITY, SEGMENT_BYTES);
  }

  /** Groups of one batch and of many, in several segments, closed in good order. */
  private void fill(Random random) throws IOException {
    try (LocalLog writing = open()) {
      GroupCore group = new GroupCore(1);
      for (int i = 0; i < 60; i++) {
        for (int left = 1 + random.nextInt(5); left > 0; left--) {
          String key = "k" + i + "-" + left + "x".repeat(random.nextInt(60));
          ChangeBatch batch = batch(1 + random.nextInt(PARTITIONS), put(key), put(key + "b"));
          group.add(batch, random.nextBoolean() ? Optional.of(attribution(i)) : Optional.empty());
        }
        writing.append(group, true, 1_000L + i);
        group.clear();
      }
    }
    locate();
  }

  /** With it a batch has attributes, as the batches of the SDK have. */
  private static GroupCore.Attribution attribution(int number) {
    Bytes writer = Bytes.copyOf(new byte[WrittenRows.WRITER_BYTES]);
    return new GroupCore.Attribution(writer, number + 1L, Bytes.EMPTY);
  }

  private void locate() throws IOException {
    for (Path file : segments()) {
      try (FileChannel bytes = FileChannel.open(file)) {
        long base = LogInspection.base(file.getFileName().toString());
        Segment segment = new Segment(base, ReadOnlyFile.of(bytes), bytes.size());
        SegmentScan scan = new SegmentScan(segment, LogFormat.SEGMENT_HEADER_BYTES);
        while (scan.next(
            (found, at) ->
                placed.add(
                    new Placed(
                        file,
                        at,
                        at + found.byteCount(),
                        found.partition(),
                        found.basePosition(),
                        found.lastPosition())))) {
          // On to the next group.
        }
      }
    }
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(log)) {
      return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
  }

  private static void damage(Path file, long from, long end) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      byte[] noise = new byte[(int) (end - from)];
      bytes.seek(from);
      bytes.readFully(noise);
      for (int i = 0; i < noise.length; i++) {
        noise[i] ^= 0x55;
      }
      bytes.seek(from);
      bytes.write(noise);
    }
  }

  private LogMend plan() throws IOException {
    return LogMend.plan(log, IDENTITY, id -> true, 0);
  }

  private void keep(Path file, boolean isCopy) throws IOException {
    Files.createDirectories(aside);
    Path target = aside.resolve(file.getFileName() + "-" + System.identityHashCode(new Object()));
    if (isCopy) {
      Files.copy(file, target);
    } else {
      Files.move(file, target);
    }
  }

  /** The positions that are damaged, by partition. */
  private SortedMap<Integer, NavigableSet<Long>> hit(Path file, long from, long end) {
    SortedMap<Integer, NavigableSet<Long>> hit = new TreeMap<>();
    for (Placed batch : placed) {
      if (batch.file().equals(file) && batch.from() < end && from < batch.end()) {
        for (long position = batch.first(); position <= batch.last(); position++) {
          hit.computeIfAbsent(batch.partition(), id -> new TreeSet<>()).add(position);
        }
      }
    }
    return hit;
  }

  private static SortedMap<Integer, NavigableSet<Long>> positions(List<LostHistory> lost) {
    SortedMap<Integer, NavigableSet<Long>> positions = new TreeMap<>();
    for (LostHistory range : lost) {
      for (long position = range.first(); position <= range.last(); position++) {
        positions.computeIfAbsent(range.partition(), id -> new TreeSet<>()).add(position);
      }
    }
    return positions;
  }

  /** All that is not lost is read, what is lost is refused, and new changes come behind. */
  private void requireServed(SortedMap<Integer, NavigableSet<Long>> lost) throws IOException {
    try (LocalLog served = open()) {
      assertThat(served.hasLost()).isEqualTo(!lost.isEmpty());
      for (int id = 1; id <= PARTITIONS; id++) {
        int partition = id;
        long last =
            placed.stream()
                .filter(batch -> batch.partition() == partition)
                .mapToLong(Placed::last)
                .max()
                .orElse(0);
        assertThat(served.committed(id)).as("no position is given again").isEqualTo(last);
        NavigableSet<Long> gone = lost.getOrDefault(id, new TreeSet<>());
        for (long position = 1; position <= last; position++) {
          long at = position;
          if (gone.contains(position)) {
            assertThatThrownBy(() -> served.plan(partition, at, 1 << 20))
                .isInstanceOfSatisfying(
                    RefusedException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.HISTORY_LOST));
          } else {
            SegmentExtents read = served.plan(id, position, 1 << 20);
            assertThat(read.isEmpty()).isFalse();
            Long next = gone.higher(position);
            assertThat(read.lastPosition())
                .as("up to the hole")
                .isEqualTo(next == null ? last : next - 1);
          }
          assertThat(served.commitMicrosAfter(id, position)).isNotNegative();
        }
      }
      List<ChangeBatch> replayed = new ArrayList<>();
      served.replay(
          0,
          new ReplayVisitor() {
            @Override
            public void batch(ChangeBatch batch) {
              replayed.add(batch);
            }

            @Override
            public void answers(ChangeBatch batch) {}

            @Override
            public void groupEnd(long end) {
              // All that counts are the batches.
            }
          });
      long kept =
          placed.stream()
              .filter(b -> !lost.getOrDefault(b.partition(), new TreeSet<>()).contains(b.first()))
              .count();
      assertThat(replayed).hasSize((int) kept);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 40, 600, 4_096})
  void exactly_the_batches_that_are_damaged_are_given_up(int bytes) throws IOException {
    for (int seed = 0; seed < 8; seed++) {
      Random random = new Random(seed);
      log = directory.resolve("log-" + bytes + "-" + seed);
      placed.clear();
      fill(random);
      List<Path> files = segments();
      Path file = files.get(random.nextInt(files.size()));
      long from = random.nextLong(Files.size(file));
      long end = Math.min(Files.size(file), from + bytes);
      SortedMap<Integer, NavigableSet<Long>> lost = hit(file, from, end);
      damage(file, from, end);
      LogMend mend = plan();
      assertThat(positions(mend.lost())).as("seed %d", seed).isEqualTo(lost);
      mend.execute(this::keep);
      assertThat(plan().isNeeded()).as("seed %d", seed).isFalse();
      requireServed(lost);
      requireServed(lost);
    }
  }

  /** A user's rows may hold anything, also a copy of this log. */
  @Test
  void a_copy_of_a_group_in_the_value_of_a_row_is_not_mistaken_for_a_group() throws IOException {
    try (LocalLog writing = open()) {
      GroupCore group = new GroupCore(1);
      group.add(batch(1, put("a")));
      group.add(batch(2, put("b"), put("c")));
      writing.append(group, true, 1_000);
    }
    Path file = segments().get(0);
    byte[] whole = Files.readAllBytes(file);
    byte[] copy = Arrays.copyOfRange(whole, LogFormat.SEGMENT_HEADER_BYTES, whole.length);
    try (LocalLog writing = open()) {
      for (int i = 0; i < 3; i++) {
        GroupCore group = new GroupCore(1);
        group.add(batch(1, put("d" + i, new Column("v", ColumnValue.fromBinary(copy)))));
        group.add(batch(3, put("e" + i)));
        writing.append(group, true, 2_000L + i);
      }
    }
    locate();
    assertThat(placed).hasSize(8);
    List<Placed> holders =
        placed.stream().filter(each -> each.end() - each.from() > copy.length).toList();
    assertThat(holders).hasSize(3);
    for (Placed holder : holders) {
      byte[] before = Files.readAllBytes(file);
      // The header of its group, and the length that would lead to the next batch.
      damage(file, holder.from() - 3, holder.from() - 2);
      damage(file, holder.from() + 3, holder.from() + 4);
      SortedMap<Integer, NavigableSet<Long>> lost = hit(file, holder.from(), holder.end());
      LogMend mend = plan();
      assertThat(positions(mend.lost())).isEqualTo(lost);
      if (holder.equals(holders.get(1))) {
        mend.execute(this::keep);
        requireServed(lost);
        return;
      }
      Files.write(file, before);
    }
  }

  @Test
  void a_break_between_any_two_steps_leaves_a_log_that_is_mended_the_next_time()
      throws IOException {
    for (int steps = 0; steps < 5; steps++) {
      log = directory.resolve("log-" + steps);
      placed.clear();
      fill(new Random(7));
      Path file = segments().get(1);
      damage(file, 100, 1_000);
      Path other = segments().get(2);
      damage(other, Files.size(other) - 10, Files.size(other));
      SortedMap<Integer, NavigableSet<Long>> lost = hit(file, 100, 1_000);
      hit(other, Files.size(other) - 10, Files.size(other))
          .forEach((id, at) -> lost.computeIfAbsent(id, none -> new TreeSet<>()).addAll(at));
      int[] left = {steps};
      try {
        plan()
            .execute(
                (path, isCopy) -> {
                  if (left[0]-- == 0) {
                    throw new IOException("broken off");
                  }
                  keep(path, isCopy);
                });
      } catch (IOException e) {
        assertThat(e).hasMessage("broken off");
        assertThatThrownBy(this::replayAll).isInstanceOf(IOException.class);
      }
      LogMend again = plan();
      again.execute(this::keep);
      assertThat(positions(LogMend.plan(log, IDENTITY, id -> true, 0).lost())).isEmpty();
      requireServed(lost);
    }
  }

  private void replayAll() throws IOException {
    try (LocalLog served = open()) {
      served.replay(
          0,
          new ReplayVisitor() {
            @Override
            public void batch(ChangeBatch batch) {
              // Only whether all can be read.
            }

            @Override
            public void answers(ChangeBatch batch) {}

            @Override
            public void groupEnd(long end) {
              // As above.
            }
          });
    }
  }

  @Test
  void the_rows_go_on_where_they_are_folded_up_to_in_the_middle_of_the_damage() throws IOException {
    fill(new Random(11));
    Path file = segments().get(1);
    long base = LogInspection.base(file.getFileName().toString());
    List<Long> ends = new ArrayList<>();
    try (FileChannel bytes = FileChannel.open(file)) {
      Segment segment = new Segment(base, ReadOnlyFile.of(bytes), bytes.size());
      SegmentScan scan = new SegmentScan(segment, LogFormat.SEGMENT_HEADER_BYTES);
      while (scan.next((batch, at) -> {})) {
        ends.add(scan.offset());
      }
    }
    long folded = base + ends.get(2);
    damage(file, ends.get(0) + 5, ends.get(4) - 5);
    LogMend.plan(log, IDENTITY, id -> true, folded).execute(this::keep);
    try (LocalLog served = open()) {
      served.replay(
          folded,
          new ReplayVisitor() {
            @Override
            public void batch(ChangeBatch batch) {
              assertThat(batch.partition()).isPositive();
            }

            @Override
            public void answers(ChangeBatch batch) {}

            @Override
            public void groupEnd(long end) {
              assertThat(end).isGreaterThan(folded);
            }
          });
    }
  }

  @Test
  void the_file_of_another_log_a_missing_one_and_what_was_never_durable_are_left_alone()
      throws IOException {
    fill(new Random(5));
    Path second = segments().get(1);
    Path away = directory.resolve("away");
    Files.move(second, away);
    assertThatThrownBy(this::plan).hasMessageContaining("a file of the log is missing before");
    Files.copy(segments().get(0), second);
    assertThatThrownBy(this::plan).hasMessageContaining("is not of this log");
    Files.move(away, second, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertThat(plan().isNeeded()).isFalse();
    Path last = segments().get(segments().size() - 1);
    Files.write(last, new byte[] {1, 2, 3}, java.nio.file.StandardOpenOption.APPEND);
    assertThat(plan().isNeeded()).as("torn, and cut off by the next start").isFalse();
  }
}
