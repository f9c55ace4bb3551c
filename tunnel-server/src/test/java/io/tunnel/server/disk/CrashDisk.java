package io.tunnel.server.disk;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A disk in memory that keeps only what was synced.
 *
 * <p>Faults that it injects: after {@link #crash} any subset of the 512-byte sectors that were
 * written and not synced is there, files created, replaced or deleted since names were synced may
 * be as they were before, each for itself, and every operation of the old disk fails. After {@link
 * #kill} everything written is there, but what was not synced is still not. {@link #failAfter}
 * makes one operation fail: a write leaves a part of its bytes, a sync makes nothing durable, a
 * replaced file is there and not durable.
 */
public final class CrashDisk implements Disk {

  private static final int SECTOR_BYTES = 512;

  /** What can be told to fail. */
  public enum Operation {
    READ,
    WRITE,
    SYNC,
    OPEN,
    REPLACE,
    DELETE
  }

  private final Map<String, Content> files = new TreeMap<>();
  private final Map<String, Content> durableFiles = new HashMap<>();
  private final Map<Operation, Integer> failures = new EnumMap<>(Operation.class);
  private long room = Long.MAX_VALUE;

  /** Whether deleted files leave room; otherwise other programs take it at once. */
  private boolean givesRoomBack;

  private boolean isGone;
  private int openFiles;

  private static final class Content {
    private byte[] now = new byte[0];
    private byte[] durable = new byte[0];

    /** Sectors that the next sync writes. */
    private final TreeSet<Integer> dirty = new TreeSet<>();

    void sync() {
      durable = Arrays.copyOf(durable, now.length);
      for (int sector : dirty) {
        int from = sector * SECTOR_BYTES;
        int end = Math.min(from + SECTOR_BYTES, now.length);
        if (from < end) {
          System.arraycopy(now, from, durable, from, end - from);
        }
      }
      dirty.clear();
    }
  }

  /** The {@code count}-th {@code operation} from now fails, and all of that kind behind it. */
  public synchronized void failAfter(Operation operation, int count) {
    failures.put(operation, count);
  }

  /** Files can grow by so many bytes from now on; then writes leave a part and fail. */
  public synchronized void room(long bytes) {
    room = bytes;
  }

  /** Gives the room of files that are deleted from now on back. */
  public synchronized void givesRoomBack() {
    givesRoomBack = true;
  }

  @Override
  public synchronized long usableBytes() {
    return room;
  }

  private void take(long bytes) throws DiskFullException {
    if (bytes > room) {
      throw new DiskFullException("No space left on device");
    }
    room -= room == Long.MAX_VALUE ? 0 : Math.max(0, bytes);
  }

  private void count(Operation operation) throws IOException {
    if (isGone) {
      throw new IOException("the machine is down");
    }
    Integer left = failures.computeIfPresent(operation, (key, value) -> value - 1);
    if (left != null && left < 0) {
      throw new IOException("injected failure of " + operation);
    }
  }

  /** The machine goes down: what is left of this disk. */
  public synchronized CrashDisk crash(Random random) {
    isGone = true;
    CrashDisk left = new CrashDisk();
    double survival = random.nextInt(3) / 2.0;
    Map<String, Content> names = new TreeMap<>(durableFiles);
    Set<String> touched = new TreeSet<>(files.keySet());
    touched.addAll(durableFiles.keySet());
    touched.removeIf(name -> files.get(name) == durableFiles.get(name));
    for (String name : touched) {
      if (random.nextBoolean()) {
        names.put(name, files.get(name));
      }
    }
    names.values().removeIf(Objects::isNull);
    names.forEach(
        (name, content) -> {
          Content after = new Content();
          after.now = survivors(content, random, survival);
          after.durable = after.now.clone();
          left.files.put(name, after);
          left.durableFiles.put(name, after);
        });
    return left;
  }

  private static byte[] survivors(Content content, Random random, double survival) {
    byte[] after = content.durable.clone();
    for (int from = 0; from < content.now.length; from += SECTOR_BYTES) {
      int end = Math.min(from + SECTOR_BYTES, content.now.length);
      boolean isDurable =
          end <= content.durable.length
              && Arrays.equals(content.now, from, end, content.durable, from, end);
      if (!isDurable && random.nextDouble() < survival) {
        after = Arrays.copyOf(after, Math.max(after.length, end));
        System.arraycopy(content.now, from, after, from, end - from);
      }
    }
    return after;
  }

  /** The process goes down and the machine does not. */
  public synchronized CrashDisk kill() {
    isGone = true;
    CrashDisk left = new CrashDisk();
    Map<Content, Content> copies = new HashMap<>();
    files.forEach((name, content) -> left.files.put(name, copy(content, copies)));
    durableFiles.forEach((name, content) -> left.durableFiles.put(name, copy(content, copies)));
    return left;
  }

  private static Content copy(Content content, Map<Content, Content> copies) {
    return copies.computeIfAbsent(
        content,
        original -> {
          Content copy = new Content();
          copy.now = original.now.clone();
          copy.durable = original.durable.clone();
          copy.dirty.addAll(original.dirty);
          return copy;
        });
  }

  /** A durable copy of everything, to damage. */
  public synchronized CrashDisk copy() {
    CrashDisk copy = new CrashDisk();
    files.forEach((name, content) -> copy.put(name, content.now));
    return copy;
  }

  /** The bytes of a file. */
  public synchronized byte[] bytes(String name) {
    return files.get(name).now.clone();
  }

  /** Puts a file there, durably. */
  public synchronized void put(String name, byte[] bytes) {
    Content content = new Content();
    content.now = bytes.clone();
    content.durable = bytes.clone();
    files.put(name, content);
    durableFiles.put(name, content);
  }

  /** Turns one bit over. */
  public synchronized void flip(String name, int offset, int bit) {
    Content content = files.get(name);
    content.now[offset] ^= (byte) (1 << bit);
    if (offset < content.durable.length) {
      content.durable[offset] = content.now[offset];
    }
  }

  /** Files opened and not closed. */
  public synchronized int openFiles() {
    return openFiles;
  }

  /** Names of the files that end with {@code suffix}. */
  public synchronized List<String> names(String suffix) {
    return files.keySet().stream().filter(name -> name.endsWith(suffix)).toList();
  }

  @Override
  public synchronized List<String> list() {
    return new ArrayList<>(files.keySet());
  }

  @Override
  public synchronized File open(String name) throws IOException {
    count(Operation.OPEN);
    openFiles++;
    return new OpenFile(files.computeIfAbsent(name, key -> new Content()));
  }

  @Override
  public synchronized void replace(String name, ByteBuffer content) throws IOException {
    take(content.remaining());
    byte[] bytes = new byte[content.remaining()];
    content.get(bytes);
    Content before = durableFiles.get(name);
    put(name, bytes);
    try {
      count(Operation.REPLACE);
    } catch (IOException e) {
      durableFiles.remove(name);
      if (before != null) {
        durableFiles.put(name, before);
      }
      throw e;
    }
  }

  @Override
  public synchronized ByteBuffer readOnly(String name) throws IOException {
    count(Operation.READ);
    return ByteBuffer.wrap(bytes(name)).asReadOnlyBuffer();
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    count(Operation.DELETE);
    Content deleted = files.remove(name);
    if (givesRoomBack && deleted != null && room != Long.MAX_VALUE) {
      room += deleted.now.length;
    }
  }

  @Override
  public synchronized void syncNames() throws IOException {
    count(Operation.SYNC);
    durableFiles.clear();
    durableFiles.putAll(files);
  }

  private final class OpenFile implements File {
    private final Content content;
    private boolean isClosed;

    OpenFile(Content content) {
      this.content = content;
    }

    @Override
    public long size() {
      synchronized (CrashDisk.this) {
        return content.now.length;
      }
    }

    @Override
    public void write(ByteBuffer source, long offset) throws IOException {
      synchronized (CrashDisk.this) {
        byte[] bytes = new byte[source.remaining()];
        source.get(bytes);
        try {
          count(Operation.WRITE);
          take(offset + bytes.length - content.now.length);
        } catch (IOException e) {
          put(bytes, bytes.length / 2, (int) offset);
          throw e;
        }
        put(bytes, bytes.length, (int) offset);
      }
    }

    private void put(byte[] bytes, int length, int offset) {
      if (content.now.length < offset + length) {
        content.now = Arrays.copyOf(content.now, offset + length);
      }
      System.arraycopy(bytes, 0, content.now, offset, length);
      for (int from = offset - offset % SECTOR_BYTES; from < offset + length; ) {
        content.dirty.add(from / SECTOR_BYTES);
        from += SECTOR_BYTES;
      }
    }

    @Override
    public void read(ByteBuffer target, long offset) throws IOException {
      synchronized (CrashDisk.this) {
        requireOpen();
        count(Operation.READ);
        if (offset + target.remaining() > content.now.length) {
          throw new EOFException("read at " + offset + " of " + content.now.length);
        }
        target.put(content.now, (int) offset, target.remaining());
      }
    }

    @Override
    public void sync() throws IOException {
      synchronized (CrashDisk.this) {
        requireOpen();
        try {
          count(Operation.SYNC);
        } catch (IOException e) {
          content.dirty.clear();
          throw e;
        }
        content.sync();
      }
    }

    private void requireOpen() throws IOException {
      if (isClosed) {
        throw new ClosedChannelException();
      }
    }

    @Override
    public void truncate(long size) throws IOException {
      synchronized (CrashDisk.this) {
        count(Operation.WRITE);
        content.now = Arrays.copyOf(content.now, (int) size);
      }
    }

    @Override
    public void close() {
      synchronized (CrashDisk.this) {
        if (!isClosed) {
          isClosed = true;
          openFiles--;
        }
      }
    }
  }
}
