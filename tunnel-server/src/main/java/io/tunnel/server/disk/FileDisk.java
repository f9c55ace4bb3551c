package io.tunnel.server.disk;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** A directory of the file system. */
public final class FileDisk implements Disk {

  private static final long DEAD_BYTES_MAX = 16L << 20;

  /** A mapping counts as so many bytes at least, since a process may have some 65,000 mappings. */
  private static final long MAPPING_BYTES_MIN = 64 << 10;

  private final Path directory;
  private final DeadMappings dead;

  /** Uses {@code directory}, or creates it. */
  public FileDisk(Path directory) throws IOException {
    this(directory, new DeadMappings(DEAD_BYTES_MAX, FileDisk::collect));
  }

  FileDisk(Path directory, DeadMappings dead) throws IOException {
    this.directory = directory;
    this.dead = dead;
    DurableFiles.create(directory);
  }

  @Override
  public List<String> list() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public File open(String name) throws IOException {
    try {
      return new RoomFile(
          new ChannelFile(
              PrivateFiles.open(
                  directory.resolve(name),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE)));
    } catch (IOException e) {
      throw DiskFullException.of(e, usableBytes(), 1);
    }
  }

  @Override
  public void replace(String name, ByteBuffer content) throws IOException {
    long wanted = content.remaining();
    try {
      DurableFiles.replace(directory.resolve(name), content);
    } catch (IOException e) {
      throw DiskFullException.of(e, usableBytes(), wanted);
    }
  }

  @Override
  public ByteBuffer readOnly(String name) throws IOException {
    try (FileChannel file = FileChannel.open(directory.resolve(name), StandardOpenOption.READ)) {
      long size = file.size();
      ByteBuffer mapped = file.map(FileChannel.MapMode.READ_ONLY, 0, size);
      dead.mapped(name, Math.max(size, MAPPING_BYTES_MIN));
      return mapped;
    }
  }

  /** In a thread of its own: System.gc returns when the collection is over. */
  private static void collect() {
    Thread thread = new Thread(System::gc, "unmap-deleted-files");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(directory.resolve(name));
    dead.deleted(name);
  }

  @Override
  public void syncNames() throws IOException {
    DurableFiles.syncNames(directory);
  }

  @Override
  public long usableBytes() {
    return directory.toFile().getUsableSpace();
  }

  /** Tells a full disk from a failed one. */
  private final class RoomFile implements File {
    private final File file;

    RoomFile(File file) {
      this.file = file;
    }

    @Override
    public void write(ByteBuffer source, long offset) throws IOException {
      try {
        file.write(source, offset);
      } catch (IOException e) {
        throw DiskFullException.of(e, usableBytes(), source.remaining());
      }
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void read(ByteBuffer target, long offset) throws IOException {
      file.read(target, offset);
    }

    @Override
    public void sync() throws IOException {
      file.sync();
    }

    @Override
    public void truncate(long size) throws IOException {
      file.truncate(size);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /** A file of the file system, one call of which may write or read fewer bytes than asked. */
  record ChannelFile(FileChannel file) implements File {

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void write(ByteBuffer source, long offset) throws IOException {
      long at = offset;
      while (source.hasRemaining()) {
        at += file.write(source, at);
      }
    }

    @Override
    public void read(ByteBuffer target, long offset) throws IOException {
      long at = offset;
      while (target.hasRemaining()) {
        int count = file.read(target, at);
        if (count < 0) {
          throw new EOFException("the file ends at byte " + file.size() + ", wanted byte " + at);
        }
        at += count;
      }
    }

    @Override
    public void sync() throws IOException {
      file.force(false);
    }

    @Override
    public void truncate(long size) throws IOException {
      file.truncate(size);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
