package io.tunnel.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are more than may be open. */
final class OpenFilesTest {

  private static final int FILES = 12;
  private static final int FILE_BYTES = 64;

  @TempDir private Path directory;

  private final List<Disk.File> files = new ArrayList<>();

  private Disk disk(OpenFiles open) throws IOException {
    return open.open(directory);
  }

  private void make(Disk disk, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Disk.File file = disk.open("f" + i);
      files.add(file);
      file.write(bytes(i, FILE_BYTES), 0);
      file.sync();
    }
  }

  private static ByteBuffer bytes(int value, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    while (bytes.hasRemaining()) {
      bytes.put((byte) value);
    }
    return bytes.flip();
  }

  private static int first(Disk.File file) throws IOException {
    ByteBuffer one = ByteBuffer.allocate(1);
    file.read(one, 0);
    return one.get(0);
  }

  @Test
  void as_many_are_open_as_may_be_and_the_one_used_longest_ago_rests() throws IOException {
    OpenFiles open = new OpenFiles(Disks.ofSystem(), 2);
    make(disk(open), 2);
    assertThat(open.count()).isEqualTo(2);
    Disk.File third = disk(open).open("third");
    assertThat(open.count()).isEqualTo(2);
    assertThat(first(files.get(1))).as("one that stayed open").isEqualTo(1);
    assertThat(first(files.get(0))).as("one that rested").isZero();
    assertThat(open.count()).isEqualTo(2);
    third.close();
    for (Disk.File file : files) {
      file.close();
    }
    assertThat(open.count()).isZero();
  }

  @Test
  void a_file_with_bytes_that_were_not_synced_stays_open_beyond_the_bound() throws IOException {
    OpenFiles open = new OpenFiles(Disks.ofSystem(), 1);
    Disk disk = disk(open);
    Disk.File first = disk.open("first");
    first.write(bytes(1, 9), 0);
    Disk.File second = disk.open("second");
    assertThat(open.count()).isEqualTo(2);
    first.sync();
    second.truncate(0);
    Disk.File third = disk.open("third");
    assertThat(open.count()).as("the second is cut and not synced").isEqualTo(2);
    second.sync();
    assertThat(first.size()).isEqualTo(9);
    assertThat(open.count()).isEqualTo(1);
    third.close();
  }

  @Test
  void a_file_that_was_synced_in_the_middle_of_a_write_stays_open() throws IOException {
    CrashDisk crash = new CrashDisk();
    TappedDisk tapped = new TappedDisk(crash);
    OpenFiles open = new OpenFiles(unused -> crash, 1);
    Disk disk = open.bounded(tapped);
    Disk.File first = disk.open("first");
    tapped.tap(
        (operation, file) -> {
          if (operation.equals("write")) {
            first.sync();
          }
        });
    first.write(bytes(1, 9), 0);
    tapped.tap((operation, file) -> {});
    Disk.File second = disk.open("second");
    assertThat(open.count()).as("the first has bytes that no sync has seen").isEqualTo(2);
    first.sync();
    second.close();
    assertThat(first.size()).isEqualTo(9);
    Disk.File third = disk.open("third");
    assertThat(open.count()).isEqualTo(1);
    third.close();
  }

  @Test
  void one_that_is_closed_is_not_opened_again() throws IOException {
    OpenFiles open = new OpenFiles(Disks.ofSystem(), 1);
    make(disk(open), 2);
    files.get(0).close();
    files.get(1).close();
    for (Disk.File file : files) {
      assertThatThrownBy(() -> first(file)).isInstanceOf(ClosedChannelException.class);
      assertThatThrownBy(file::sync).isInstanceOf(ClosedChannelException.class);
    }
    assertThat(open.count()).isZero();
  }

  @Test
  void what_somebody_else_changed_meanwhile_is_said_and_not_read() throws IOException {
    make(disk(new OpenFiles(Disks.ofSystem(), 1)), 2);
    Files.write(directory.resolve("f0"), new byte[3]);
    assertThatThrownBy(() -> first(files.get(0)))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("f0", "64 bytes", "3 now");
  }

  @Test
  void a_file_that_cannot_be_opened_again_is_tried_with_the_next_use() throws IOException {
    CrashDisk crash = new CrashDisk();
    Disk disk = new OpenFiles(unused -> crash, 1).bounded(crash);
    make(disk, 2);
    crash.failAfter(CrashDisk.Operation.OPEN, 0);
    assertThatThrownBy(() -> first(files.get(0))).isInstanceOf(IOException.class);
    crash.failAfter(CrashDisk.Operation.OPEN, Integer.MAX_VALUE);
    assertThat(first(files.get(0))).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatever_is_done_files_have_what_was_written(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    OpenFiles open = new OpenFiles(Disks.ofSystem(), random.nextInt(1, FILES));
    make(disk(open), FILES);
    int[] values = new int[FILES];
    for (int i = 0; i < FILES; i++) {
      values[i] = i;
    }
    for (int round = 0; round < 2_000; round++) {
      int at = random.nextInt(FILES);
      Disk.File file = files.get(at);
      switch (random.nextInt(4)) {
        case 0 -> {
          values[at] = random.nextInt(100);
          file.write(bytes(values[at], FILE_BYTES), 0);
        }
        case 1 -> file.sync();
        default -> assertThat(first(file)).isEqualTo(values[at]);
      }
      assertThat(file.size()).isEqualTo(FILE_BYTES);
    }
    for (Disk.File file : files) {
      file.close();
    }
    assertThat(open.count()).isZero();
  }

  @Test
  void threads_read_more_files_than_may_be_open() throws Exception {
    OpenFiles open = new OpenFiles(Disks.ofSystem(), 2);
    make(disk(open), FILES);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> readers = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        SplittableRandom random = new SplittableRandom(thread);
        readers.add(
            threads.submit(
                () -> {
                  for (int round = 0; round < 5_000; round++) {
                    int at = random.nextInt(FILES);
                    assertThat(first(files.get(at))).isEqualTo(at);
                  }
                  return null;
                }));
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
    } finally {
      threads.shutdownNow();
    }
    // One that was in use could not be closed for another; the next that is opened makes room.
    Disk.File last = disk(open).open("last");
    assertThat(open.count()).isEqualTo(2);
    last.close();
  }
}
