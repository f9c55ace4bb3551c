package io.tunnel.server.net.audit;

import io.tunnel.server.disk.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file {@code NAME.jsonl}, and rotated files {@code NAME.NUMBER.jsonl}. Opened by the first
 * write, and again after a failure. For one thread.
 */
final class AuditFile implements Closeable {

  private static final String SUFFIX = ".jsonl";

  private final Path directory;
  private final String name;
  private final Pattern aside;
  private final AuditTrail.Settings settings;
  private RotationCore rotation;
  private FileChannel channel;

  /** A file in {@code directory}, which the first write creates. */
  AuditFile(Path directory, String name, AuditTrail.Settings settings) {
    this.directory = directory;
    this.name = name;
    this.aside = Pattern.compile(Pattern.quote(name) + "\\.(\\d{1,18})\\.jsonl");
    this.settings = settings;
  }

  /**
   * Writes whole lines: all or none.
   *
   * @throws IOException when the lines cannot be written; the next call opens the file again
   */
  void append(byte[] lines) throws IOException {
    try {
      open();
      if (rotation.mustRotate(lines.length)) {
        rotate();
      }
      deleteOldest();
      write(lines);
    } catch (IOException e) {
      closeAfter(e);
      throw e;
    }
  }

  /** The bytes that fit into the open file; a whole file's when none is open. */
  long room() {
    return channel == null ? settings.bytesMax() : rotation.room();
  }

  private void write(byte[] lines) throws IOException {
    long before = channel.position();
    try {
      ByteBuffer left = ByteBuffer.wrap(lines);
      while (left.hasRemaining()) {
        int unused = channel.write(left);
      }
    } catch (IOException e) {
      channel.truncate(before);
      throw e;
    }
    rotation.appended(lines.length);
  }

  private void open() throws IOException {
    if (channel != null) {
      return;
    }
    var unused = PrivateFiles.createDirectories(directory);
    openChannel();
    rotation = new RotationCore(settings.bytesMax(), settings.filesMax(), channel.size(), aside());
    endTornLine();
  }

  private void openChannel() throws IOException {
    channel =
        PrivateFiles.open(
            directory.resolve(name + SUFFIX),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    channel.position(channel.size());
  }

  /** Ends a line that a killed process has left unfinished. */
  private void endTornLine() throws IOException {
    ByteBuffer last = ByteBuffer.allocate(1);
    if (channel.size() > 0 && channel.read(last, channel.size() - 1) == 1 && last.get(0) != '\n') {
      write(new byte[] {'\n'});
    }
  }

  private List<Long> aside() throws IOException {
    List<Long> numbers = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Matcher found = aside.matcher(String.valueOf(file.getFileName()));
        if (found.matches()) {
          numbers.add(Long.valueOf(found.group(1)));
        }
      }
    }
    return numbers;
  }

  private Path aside(long number) {
    return directory.resolve(name + "." + number + SUFFIX);
  }

  private void rotate() throws IOException {
    channel.close();
    channel = null;
    var unused = Files.move(directory.resolve(name + SUFFIX), aside(rotation.nextNumber()));
    rotation.rotated();
    openChannel();
  }

  private void deleteOldest() throws IOException {
    while (rotation.hasTooMany()) {
      boolean unused = Files.deleteIfExists(aside(rotation.oldest()));
      rotation.deleted();
    }
  }

  private void closeAfter(IOException failure) {
    try {
      close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public void close() throws IOException {
    if (channel != null) {
      FileChannel closing = channel;
      channel = null;
      closing.close();
    }
  }
}
