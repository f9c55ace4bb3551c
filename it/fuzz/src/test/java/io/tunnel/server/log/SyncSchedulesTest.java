package io.tunnel.server.log;

import io.tunnel.server.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The log's owner appends and syncs while RocksDB's thread syncs and the system fails to write back
 * a page: what is called durable is on the disk, in every schedule that Lincheck tries.
 */
@Tag("proof-fuzz")
class SyncSchedulesTest {

  private static final int RUNS = 400;

  @Test
  void nothing_is_called_durable_that_the_disk_lacks() {
    Lincheck.runConcurrentTest(
        RUNS,
        () -> {
          LyingFile file = new LyingFile();
          Segment segment = new Segment(0, file, 0);
          SyncedEnd synced = new SyncedEnd(0, 0);
          Thread owner = new Thread(() -> appendAndSync(segment, synced));
          Thread flusher = new Thread(() -> sync(segment, synced));
          Thread system = new Thread(file::failToWriteBack);
          owner.start();
          flusher.start();
          system.start();
          join(owner);
          join(flusher);
          join(system);
          if (synced.offset() > file.durable()) {
            throw new AssertionError(
                synced.offset() + " bytes are called durable of " + file.durable());
          }
        });
  }

  private static void appendAndSync(Segment segment, SyncedEnd synced) {
    for (int i = 0; i < 2; i++) {
      try {
        segment.append(ByteBuffer.allocate(1));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      sync(segment, synced);
    }
  }

  private static void sync(Segment segment, SyncedEnd synced) {
    try {
      synced.sync(() -> segment);
    } catch (IOException failed) {
      // The owner refuses what it was to acknowledge.
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * A file as Linux keeps it: a page that could not be written back is marked clean, and the sync
   * that looks first is told of it, once.
   */
  private static final class LyingFile implements Disk.File {
    private long size;
    private long durable;
    private boolean hasHole;
    private boolean hasError;

    synchronized void failToWriteBack() {
      if (size > durable) {
        hasHole = true;
        hasError = true;
      }
    }

    synchronized long durable() {
      return durable;
    }

    @Override
    public synchronized long size() {
      return size;
    }

    @Override
    public synchronized void write(ByteBuffer source, long offset) {
      size = offset + source.remaining();
    }

    @Override
    public void sync() throws IOException {
      if (takeError()) {
        throw new IOException("Input/output error");
      }
      writeBack();
    }

    private synchronized boolean takeError() {
      boolean had = hasError;
      hasError = false;
      return had;
    }

    private synchronized void writeBack() throws IOException {
      if (hasError) {
        hasError = false;
        throw new IOException("Input/output error");
      }
      if (!hasHole) {
        durable = size;
      }
    }

    @Override
    public void read(ByteBuffer target, long offset) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void truncate(long newSize) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
