package io.tunnel.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The real disk does what the one in memory does. */
final class FileDiskTest {

  @TempDir private Path directory;

  @Test
  void a_file_is_written_read_and_cut_where_it_is_said() throws IOException {
    FileDisk disk = new FileDisk(directory.resolve("a/b/c"));
    try (Disk.File file = disk.open("f")) {
      file.write(bytes("hello"), 0);
      file.write(bytes("p!"), 3);
      file.sync();
      disk.syncNames();
      assertThat(file.size()).isEqualTo(5);
      assertThat(read(file, 1, 4)).isEqualTo("elp!");
      assertThatThrownBy(() -> read(file, 3, 3)).isInstanceOf(EOFException.class);
      file.truncate(2);
      assertThat(file.size()).isEqualTo(2);
    }
    assertThat(disk.list()).containsExactly("f");
    assertThat(Files.readString(directory.resolve("a/b/c/f"))).isEqualTo("he");
  }

  @Test
  void a_file_is_replaced_as_a_whole_while_its_old_content_stays_readable() throws IOException {
    FileDisk disk = new FileDisk(directory);
    disk.replace("f", bytes("old"));
    ByteBuffer old = disk.readOnly("f");
    disk.replace("f", bytes("newer"));
    assertThat(StandardCharsets.US_ASCII.decode(old).toString()).isEqualTo("old");
    assertThat(StandardCharsets.US_ASCII.decode(disk.readOnly("f")).toString()).isEqualTo("newer");
    disk.delete("f");
    disk.delete("f");
    assertThat(disk.list()).isEmpty();
  }

  @Test
  void a_collection_is_asked_for_each_time_that_deleted_files_have_much_memory_mapped()
      throws IOException {
    int[] collections = {0};
    DeadMappings dead = new DeadMappings(3 << 20, () -> collections[0]++);
    FileDisk disk = new FileDisk(directory, dead);
    byte[] large = new byte[2 << 20];
    for (String name : new String[] {"a", "b", "c", "d"}) {
      disk.replace(name, ByteBuffer.wrap(large));
      assertThat(disk.readOnly(name).remaining()).isEqualTo(large.length);
    }
    disk.replace("never mapped", ByteBuffer.wrap(new byte[4 << 20]));
    disk.delete("never mapped");
    disk.delete("a");
    disk.delete("a");
    assertThat(collections[0]).as("2 of 3 MiB are of deleted files").isZero();
    disk.delete("b");
    assertThat(collections[0]).isEqualTo(1);
    disk.delete("c");
    assertThat(collections[0]).as("counted from 0 again").isEqualTo(1);
    disk.delete("d");
    assertThat(collections[0]).isEqualTo(2);
  }

  /** A process may have some 65,000 mappings. */
  @Test
  void small_files_that_are_mapped_and_deleted_count_as_more_than_they_have() throws IOException {
    int[] collections = {0};
    DeadMappings dead = new DeadMappings(4 << 20, () -> collections[0]++);
    FileDisk disk = new FileDisk(directory, dead);
    for (int i = 0; i < 64; i++) {
      assertThat(collections[0]).isZero();
      disk.replace("small", bytes("1"));
      assertThat(disk.readOnly("small").remaining()).isEqualTo(1);
      disk.delete("small");
    }
    assertThat(collections[0]).isEqualTo(1);
  }

  @Test
  void of_a_file_that_cannot_be_replaced_no_part_stays() throws IOException {
    FileDisk disk = new FileDisk(directory);
    Files.createDirectories(directory.resolve("f/below"));
    assertThatThrownBy(() -> disk.replace("f", bytes("new"))).isInstanceOf(IOException.class);
    assertThat(disk.list()).containsExactly("f");
  }

  /** As on a disk that is nearly full, on a network's file system, or under a signal. */
  @Test
  void what_the_system_writes_and_reads_in_pieces_is_written_and_read_whole() throws IOException {
    Path path = directory.resolve("pieces");
    try (FileChannel real =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      FileDisk.ChannelFile file = new FileDisk.ChannelFile(new HastyChannel(real));
      file.write(bytes("more than a piece"), 2);
      assertThat(read(file, 2, 17)).isEqualTo("more than a piece");
      assertThat(file.size()).isEqualTo(19);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void a_device_without_room_is_told_from_one_that_failed() throws IOException {
    FileDisk disk = new FileDisk(Path.of("/dev"));
    try (Disk.File full = disk.open("full")) {
      assertThatThrownBy(() -> full.write(bytes("no"), 0))
          .isInstanceOf(DiskFullException.class)
          .hasMessageContaining("No space left");
    }
    assertThat(DiskFullException.of(new IOException("Input/output error"), 100, 100))
        .isNotInstanceOf(DiskFullException.class);
    assertThat(DiskFullException.of(new IOException("in another language"), 99, 100))
        .isInstanceOf(DiskFullException.class);
    assertThat(new FileDisk(directory).usableBytes()).isPositive();
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String read(Disk.File file, long offset, int length) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(length);
    file.read(target, offset);
    return new String(target.array(), StandardCharsets.US_ASCII);
  }
}
