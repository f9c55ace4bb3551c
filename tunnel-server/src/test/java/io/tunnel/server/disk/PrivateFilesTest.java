package io.tunnel.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of the server are not for every user of the machine. */
final class PrivateFilesTest {

  @TempDir private Path directory;

  private static String rights(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void each_new_directory_is_for_owner_and_group() throws IOException {
    Path made = PrivateFiles.createDirectories(directory.resolve("a/b"));
    assertThat(rights(made)).isEqualTo("rwxr-x---");
    assertThat(rights(directory.resolve("a"))).isEqualTo("rwxr-x---");
    assertThat(rights(DurableFiles.create(directory.resolve("c/d")))).isEqualTo("rwxr-x---");
  }

  @Test
  void each_new_file_is_for_owner_and_group_and_the_group_only_reads() throws IOException {
    Path text = directory.resolve("text");
    PrivateFiles.write(text, "ä", StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    assertThat(text).hasContent("ä");
    assertThat(rights(text)).isEqualTo("rw-r-----");
    Path replaced = directory.resolve("replaced");
    DurableFiles.replace(replaced, ByteBuffer.wrap(new byte[] {1}));
    assertThat(rights(replaced)).isEqualTo("rw-r-----");
    new FileDisk(directory).open("opened").close();
    assertThat(rights(directory.resolve("opened"))).isEqualTo("rw-r-----");
  }

  @Test
  void what_exists_keeps_its_mode() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    try (FileChannel channel =
        PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertThat(channel.size()).isZero();
    }
    assertThat(rights(file)).isEqualTo("rw-rw-rw-");
  }
}
