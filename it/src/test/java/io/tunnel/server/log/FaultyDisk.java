package io.tunnel.server.log;

import io.tunnel.server.disk.Disk;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.disk.Disks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The real files of a log, on a disk that a test makes full, failing or slow. What reaches the disk
 * stays there; only what is asked of the disk while a fault lasts goes wrong.
 */
public final class FaultyDisk implements Disk {

  /** What goes wrong. */
  public enum Fault {
    /** Nothing. */
    NONE,
    /** A part of a write is written, and then there is no room. */
    FULL,
    /** A part of a write is written, and then the disk fails. */
    FAILING_WRITES,
    /** What was written is in the machine's memory, and its way to the disk fails. */
    FAILING_SYNCS,
    /** A sync takes until the fault is over. */
    HANGING_SYNCS
  }

  /** What goes wrong on all disks of a server now. */
  public static final class Switch implements Disks {
    private volatile Fault fault = Fault.NONE;
    private volatile CountDownLatch over = new CountDownLatch(0);

    @Override
    public Disk open(Path directory) throws IOException {
      return new FaultyDisk(this, Disks.ofSystem().open(directory));
    }

    /** Begins a fault, which ends the one before. */
    public void set(Fault next) {
      CountDownLatch before = over;
      over = new CountDownLatch(1);
      fault = next;
      before.countDown();
    }
  }

  private final Switch now;
  private final Disk real;

  private FaultyDisk(Switch now, Disk real) {
    this.now = now;
    this.real = real;
  }

  @Override
  public List<String> list() throws IOException {
    return real.list();
  }

  @Override
  public File open(String name) throws IOException {
    return new FaultyFile(real.open(name));
  }

  @Override
  public void replace(String name, ByteBuffer content) throws IOException {
    requireRoom();
    real.replace(name, content);
  }

  @Override
  public long usableBytes() {
    return now.fault == Fault.FULL ? 0 : real.usableBytes();
  }

  private void requireRoom() throws DiskFullException {
    if (now.fault == Fault.FULL) {
      throw new DiskFullException("No space left on device");
    }
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

  private final class FaultyFile implements File {
    private final File file;

    FaultyFile(File file) {
      this.file = file;
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void write(ByteBuffer source, long offset) throws IOException {
      if (now.fault == Fault.FULL || now.fault == Fault.FAILING_WRITES) {
        file.write(source.slice(source.position(), source.remaining() / 2), offset);
        requireRoom();
        throw new IOException("Input/output error");
      }
      file.write(source, offset);
    }

    @Override
    public void read(ByteBuffer target, long offset) throws IOException {
      file.read(target, offset);
    }

    @Override
    public void sync() throws IOException {
      if (now.fault == Fault.FAILING_SYNCS) {
        throw new IOException("Input/output error");
      }
      if (now.fault == Fault.HANGING_SYNCS) {
        try {
          now.over.await();
        } catch (InterruptedException e) {
          throw new IOException("interrupted in a sync", e);
        }
      }
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
