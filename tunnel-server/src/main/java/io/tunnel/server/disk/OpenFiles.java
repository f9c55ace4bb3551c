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
 * Bounds the number of open files over all directories, so that a long log does not use up the
 * process's descriptors: it closes the least recently used file before it opens one more, and opens
 * a closed file again at its next use.
 *
 * <p>A file with unsynced bytes stays open, even beyond the bound: the system reports an error of
 * its own write-back only to processes that have the file open.
 *
 * <p>Reads and writes take the file's lock as a reader; opening and closing take it as a writer. A
 * file in use is never closed for another one, and no thread waits for two files.
 */
public final class OpenFiles implements Disks {

  private final Disks disks;
  private final int openFilesMax;
  private final AtomicLong uses = new AtomicLong();

  /** The files with a descriptor; guarded by the set itself. */
  private final Set<BoundedFile> open = new HashSet<>();

  /**
   * Bounds the open files of {@code disks}.
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

  /** The disk with a bounded number of open files. */
  public Disk bounded(Disk disk) {
    return new BoundedDisk(disk);
  }

  /** Number of open files. */
  int count() {
    synchronized (open) {
      return open.size();
    }
  }

  /** Closes the least recently used files that may be closed, until one more may be open. */
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

  /** A question to an open file. */
  @FunctionalInterface
  private interface Question<T> {
    T of(Disk.File file) throws IOException;
  }

  /** A change of an open file. */
  @FunctionalInterface
  private interface Deed {
    void to(Disk.File file) throws IOException;
  }

  /** A file that has a descriptor, rests without one, or is closed for good. */
  private final class BoundedFile implements Disk.File {

    private final Disk disk;
    private final String name;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();

    /** Empty while the file rests or is closed; changed under the write lock. */
    private Optional<Disk.File> descriptor = Optional.empty();

    private boolean isClosed;

    /** Size in bytes when the file began to rest. */
    private long sizeAtRest;

    /** Number of writes that have begun; one thread writes. */
    private volatile long writes;

    /** Number of writes that have ended, successfully or not; at most {@link #writes}. */
    private volatile long ended;

    /**
     * Number of writes that ended before the begin of the last successful sync; at most {@link
     * #ended}. A write in progress at that time may be durable in part.
     */
    private volatile long synced;

    /** The value, at the last use of this file, of a counter of uses. */
    private volatile long lastUse;

    BoundedFile(Disk disk, String name) {
      this.disk = disk;
      this.name = name;
    }

    /** Opens the first descriptor. */
    void begin() throws IOException {
      makeRoom();
      lastUse = uses.incrementAndGet();
      descriptor = Optional.of(disk.open(name));
      synchronized (open) {
        open.add(this);
      }
    }

    /** Closes the descriptor, unless the file is in use or has unsynced bytes. */
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

    /** Call under the write lock. */
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

    /**
     * Opens the descriptor again; if the file rests again before its use, the caller repeats this.
     */
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
                  + " now: another program changed it");
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
