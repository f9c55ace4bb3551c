package io.tunnel.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Bounds how many files of all its directories are open at a time, so that a long log does not take
 * all descriptors of the process: when one more is needed, the file is closed that was used longest
 * ago, and it is opened again when it is used.
 *
 * <p>A file with bytes that were not synced stays open, also beyond the bound: an error of the
 * system's own writing is told to those who have the file open, and to nobody else.
 *
 * <p>What is read and written takes the file's lock as a reader; opening and closing take it as a
 * writer. A file that is in use is never closed for another, and nobody waits for two files.
 */
public final class OpenFiles implements Disks {

  private final Disks disks;
  private final int openFilesMax;
  private final AtomicLong uses = new AtomicLong();

  /** Those with a descriptor; guarded by itself. */
  private final Set<BoundedFile> open = new HashSet<>();

  /**
   * Files of {@code disks}.
   *
   * @param openFilesMax at least 1
   */
  public OpenFiles(Disks disks, int openFilesMax) {
    if (openFilesMax < 1) {
      throw new IllegalArgumentException("at least 1 file is open, not " + openFilesMax);
    }
    this.disks = disks;
    this.openFilesMax = openFilesMax;
  }

  @Override
  public Disk open(Path directory) throws IOException {
    return bounded(disks.open(directory));
  }

  /** The disk, of whose files only so many are open. */
  public Disk bounded(Disk disk) {
    return new BoundedDisk(disk);
  }

  /** How many are open now. */
  int count() {
    synchronized (open) {
      return open.size();
    }
  }

  /** Closes what was used longest ago until one more may be open, as far as that can be. */
  private void makeRoom() throws IOException {
    synchronized (open) {
      if (open.size() < openFilesMax) {
        return;
      }
      List<BoundedFile> oldestFirst =
          open.stream().sorted(Comparator.comparingLong(file -> file.lastUse)).toList();
      for (BoundedFile file : oldestFirst) {
        if (open.size() < openFilesMax) {
          return;
        }
        file.rest();
      }
    }
  }

  private final class BoundedDisk implements Disk {

    private final Disk disk;

    BoundedDisk(Disk disk) {
      this.disk = disk;
    }

    @Override
    public List<String> list() throws IOException {
      return disk.list();
    }

    @Override
    public File open(String name) throws IOException {
      BoundedFile file = new BoundedFile(disk, name);
      file.begin();
      return file;
    }

    @Override
    public void replace(String name, ByteBuffer content) throws IOException {
      disk.replace(name, content);
    }

    @Override
    public ByteBuffer readOnly(String name) throws IOException {
      return disk.readOnly(name);
    }

    @Override
    public void delete(String name) throws IOException {
      disk.delete(name);
    }

    @Override
    public void syncNames() throws IOException {
      disk.syncNames();
    }

    @Override
    public long usableBytes() {
      return disk.usableBytes();
    }
  }

  /** What is asked of a file that is open. */
  @FunctionalInterface
  private interface Question<T> {
    T of(Disk.File file) throws IOException;
  }

  /** What is done to a file that is open. */
  @FunctionalInterface
  private interface Deed {
    void to(Disk.File file) throws IOException;
  }

  /** A file that has a descriptor, or rests without one, or is closed for good. */
  private final class BoundedFile implements Disk.File {

    private final Disk disk;
    private final String name;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    /** Empty while it rests, and when it is closed; changed under the lock of writers. */
    private Optional<Disk.File> descriptor = Optional.empty();

    private boolean isClosed;

    /** Bytes when it began to rest. */
    private long sizeAtRest;

    /** Writes that have begun, which come from one thread. */
    private volatile long writes;

    /** Those that are over, whether they failed or not; at most {@link #writes}. */
    private volatile long ended;

    /**
     * Those that ended before a sync began that succeeded; at most {@link #ended}. Of a write that
     * was under way then nobody knows which of its bytes are durable.
     */
    private volatile long synced;

    /** A number that rises with each use of any file. */
    private volatile long lastUse;

    BoundedFile(Disk disk, String name) {
      this.disk = disk;
      this.name = name;
    }

    /** Gives it a descriptor for the first time. */
    void begin() throws IOException {
      makeRoom();
      lastUse = uses.incrementAndGet();
      descriptor = Optional.of(disk.open(name));
      synchronized (open) {
        open.add(this);
      }
    }

    /** Closes its descriptor, unless it is in use or has bytes that were not synced. */
    void rest() throws IOException {
      Lock writers = lock.writeLock();
      if (!writers.tryLock()) {
        return;
      }
      try {
        if (descriptor.isPresent() && writes == synced) {
          sizeAtRest = descriptor.get().size();
          forget();
        }
      } finally {
        writers.unlock();
      }
    }

    /** Under the lock of writers. */
    private void forget() throws IOException {
      Optional<Disk.File> file = descriptor;
      descriptor = Optional.empty();
      synchronized (open) {
        open.remove(this);
      }
      if (file.isPresent()) {
        file.get().close();
      }
    }

    private <T> T ask(Question<T> question) throws IOException {
      Lock readers = lock.readLock();
      while (true) {
        readers.lock();
        try {
          if (isClosed) {
            throw new ClosedChannelException();
          }
          if (descriptor.isPresent()) {
            lastUse = uses.incrementAndGet();
            return question.of(descriptor.get());
          }
        } finally {
          readers.unlock();
        }
        wake();
      }
    }

    private void use(Deed deed) throws IOException {
      Object unused =
          ask(
              file -> {
                deed.to(file);
                return file;
              });
    }

    /** It may rest again before it is used: then it is woken again. */
    private void wake() throws IOException {
      Lock writers = lock.writeLock();
      writers.lock();
      try {
        if (isClosed || descriptor.isPresent()) {
          return;
        }
        begin();
        long size = descriptor.get().size();
        if (size != sizeAtRest) {
          forget();
          throw new IOException(
              "the file "
                  + name
                  + " had "
                  + sizeAtRest
                  + " bytes when it was closed for a while, and has "
                  + size
                  + " now: somebody else changed it");
        }
      } finally {
        writers.unlock();
      }
    }

    @Override
    public long size() throws IOException {
      return ask(Disk.File::size);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
    private void change(Deed deed) throws IOException {
      use(
          file -> {
            writes++;
            try {
              deed.to(file);
            } finally {
              ended = writes;
            }
          });
    }

    @Override
    public void write(ByteBuffer source, long offset) throws IOException {
      change(file -> file.write(source, offset));
    }

    @Override
    public void read(ByteBuffer target, long offset) throws IOException {
      use(file -> file.read(target, offset));
    }

    @Override
    public void sync() throws IOException {
      use(
          file -> {
            long before = ended;
            file.sync();
            synced = before;
          });
    }

    @Override
    public void truncate(long size) throws IOException {
      change(file -> file.truncate(size));
    }

    @Override
    public void close() throws IOException {
      Lock writers = lock.writeLock();
      writers.lock();
      try {
        isClosed = true;
        forget();
      } finally {
        writers.unlock();
      }
    }
  }
}
