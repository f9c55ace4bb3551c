package io.tunnel.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A disk that lets a test act in the middle of what is done to it. */
public final class TappedDisk implements Disk {

  /** Hears of each operation before the other disk carries it out. */
  public interface Tap {

    /** What is done to a file: {@code write} or {@code sync}; may fail in its place. */
    void before(String operation, String file) throws IOException;
  }

  private final Disk real;
  private Tap tap = (operation, file) -> {};

  public TappedDisk(Disk real) {
    this.real = real;
  }

  /** Everything from now on is told to {@code next} alone. */
  public void tap(Tap next) {
    tap = next;
  }

  @Override
  public List<String> list() throws IOException {
    return real.list();
  }

  @Override
  public File open(String name) throws IOException {
    return new TappedFile(name, real.open(name));
  }

  @Override
  public void replace(String name, ByteBuffer content) throws IOException {
    real.replace(name, content);
  }

  @Override
  public ByteBuffer readOnly(String name) throws IOException {
    return real.readOnly(name);
  }

  @Override
  public void delete(String name) throws IOException {
    real.delete(name);
  }

  @Override
  public void syncNames() throws IOException {
    real.syncNames();
  }

  @Override
  public long usableBytes() {
    return real.usableBytes();
  }

  private final class TappedFile implements File {
    private final String name;
    private final File file;

    TappedFile(String name, File file) {
      this.name = name;
      this.file = file;
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void write(ByteBuffer source, long offset) throws IOException {
      tap.before("write", name);
      file.write(source, offset);
    }

    @Override
    public void read(ByteBuffer target, long offset) throws IOException {
      file.read(target, offset);
    }

    @Override
    public void sync() throws IOException {
      tap.before("sync", name);
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
}
