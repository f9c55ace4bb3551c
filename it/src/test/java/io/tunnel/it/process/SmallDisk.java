package io.tunnel.it.process;

import io.tunnel.fixtures.Poll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A file system of a few MiB (tmpfs) in a directory of its own, which a test fills for real. It is
 * unmounted when the test is over. Mounting needs root, with the right to mount; a test that may
 * not mount fails and says so.
 */
public final class SmallDisk implements AutoCloseable {

  private static final int CHUNK_BYTES = 4 << 10;
  private static final String FILLER = "filler";

  private final Path directory;

  private SmallDisk(Path directory) {
    this.directory = directory;
  }

  /** Mounts a file system of that many MiB at {@code directory}, which is made if it is missing. */
  public static SmallDisk mount(Stage stage, Path directory, int mib) throws IOException {
    Files.createDirectories(directory);
    run("mount", "-t", "tmpfs", "-o", "size=" + mib + "m", "tunnel-it", directory.toString());
    return stage.closing(new SmallDisk(directory));
  }

  private static void run(String... command) {
    String line = String.join(" ", command);
    try {
      Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(Poll.LONG.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new AssertionError(
            "this test needs a small file system, which only root may mount (in a container: with"
                + " the capability SYS_ADMIN), but '"
                + line
                + "' said: "
                + said.strip());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("'" + line + "' cannot be started", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted during '" + line + "'", e);
    }
  }

  /** Where it is mounted. */
  public Path directory() {
    return directory;
  }

  /** How much may still be written, in bytes. */
  public long freeBytes() {
    return directory.toFile().getUsableSpace();
  }

  /**
   * Writes to a file beside all others until at most {@code leftBytes} are free; 0 until the file
   * system refuses more.
   */
  public void fill(long leftBytes) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
    try (FileChannel file =
        FileChannel.open(
            directory.resolve(FILLER),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.APPEND)) {
      while (leftBytes == 0 || freeBytes() > leftBytes) {
        if (file.write(chunk.clear()) <= 0) {
          throw new AssertionError("nothing was written to " + directory);
        }
      }
    } catch (IOException e) {
      if (leftBytes > 0 || !String.valueOf(e.getMessage()).contains("No space left")) {
        throw e;
      }
    }
  }

  /** Takes away what {@link #fill} wrote. */
  public void clear() throws IOException {
    Files.deleteIfExists(directory.resolve(FILLER));
  }

  @Override
  public void close() {
    run("umount", "-l", directory.toString());
  }
}
