package io.tunnel.server.log;

import io.tunnel.server.disk.Disk;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A disk of a simulated machine. The disk keeps the old content of unsynced writes; a loss of power
 * undoes any part of these writes. A disk whose process has died fails.
 */
public final class SimDisk implements Disk {

  private static final int SECTOR_BYTES = 512;

  private final Runnable beforeChange;
  private TreeMap<String, Content> files = new TreeMap<>();
  private TreeSet<String> durableNames = new TreeSet<>();

  /** A disk that tells {@code beforeChange} whenever something is about to be written or synced. */
  public SimDisk(Runnable beforeChange) {
    this.beforeChange = beforeChange;
  }

  private static final class Content {
    private byte[] bytes = new byte[0];
    private int size;
    private int durableSize;

    /** What stood in a sector when it was last synced, for those that were written since. */
    private final Map<Integer, byte[]> replaced = new TreeMap<>();

    void write(ByteBuffer source, int offset) {
      int count = source.remaining();
      for (int sector = offset / SECTOR_BYTES; sector * SECTOR_BYTES < offset + count; sector++) {
        int from = sector * SECTOR_BYTES;
        if (!replaced.containsKey(sector)) {
          int end = Math.max(from, Math.min(size, from + SECTOR_BYTES));
          replaced.put(sector, Arrays.copyOfRange(grown(end), from, end));
        }
      }
      grown(offset + count);
      source.get(bytes, offset, count);
      size = Math.max(size, offset + count);
    }

    private byte[] grown(int length) {
      if (bytes.length < length) {
        bytes = Arrays.copyOf(bytes, Math.max(length, bytes.length * 2));
      }
      return bytes;
    }

    void sync() {
      replaced.clear();
      durableSize = size;
    }

    void loseUnsynced() {
      size = durableSize;
      replaced.forEach(
          (sector, before) -> {
            int from = sector * SECTOR_BYTES;
            Arrays.fill(bytes, from, Math.min(bytes.length, from + SECTOR_BYTES), (byte) 0);
            System.arraycopy(before, 0, bytes, from, before.length);
          });
      sync();
    }

    void losePower(SplittableRandom random) {
      int keptOfThree = random.nextInt(3);
      int end = durableSize;
      for (Map.Entry<Integer, byte[]> entry : replaced.entrySet()) {
        int from = entry.getKey() * SECTOR_BYTES;
        if (random.nextInt(2) < keptOfThree) {
          end = Math.max(end, Math.min(size, from + SECTOR_BYTES));
        } else {
          Arrays.fill(bytes, from, Math.min(bytes.length, from + SECTOR_BYTES), (byte) 0);
          System.arraycopy(entry.getValue(), 0, bytes, from, entry.getValue().length);
        }
      }
      size = end;
      sync();
    }
  }

  /** The process has died and the machine has not: files are as they were left. */
  public SimDisk afterDeath(Runnable beforeNextChange) {
    SimDisk left = new SimDisk(beforeNextChange);
    left.files = files;
    left.durableNames = durableNames;
    files = new TreeMap<>();
    return left;
  }

  /** Undoes all unsynced writes. */
  public void loseUnsynced() {
    files.keySet().retainAll(durableNames);
    files.values().forEach(Content::loseUnsynced);
  }

  /** The power has gone and come back. */
  public SimDisk afterPowerLoss(SplittableRandom random, Runnable beforeNextChange) {
    SimDisk left = new SimDisk(beforeNextChange);
    files.forEach(
        (name, content) -> {
          if (durableNames.contains(name) || random.nextBoolean()) {
            content.losePower(random);
            left.files.put(name, content);
            left.durableNames.add(name);
          }
        });
    files = new TreeMap<>();
    return left;
  }

  @Override
  public List<String> list() {
    return List.copyOf(files.keySet());
  }

  @Override
  public File open(String name) {
    return new OpenFile(files.computeIfAbsent(name, key -> new Content()));
  }

  @Override
  public void replace(String name, ByteBuffer source) {
    beforeChange.run();
    Content content = new Content();
    content.write(source, 0);
    content.sync();
    files.put(name, content);
    durableNames.add(name);
  }

  @Override
  public ByteBuffer readOnly(String name) {
    Content content = files.get(name);
    return ByteBuffer.wrap(Arrays.copyOf(content.bytes, content.size)).asReadOnlyBuffer();
  }

  @Override
  public void delete(String name) {
    beforeChange.run();
    files.remove(name);
  }

  @Override
  public void syncNames() {
    beforeChange.run();
    durableNames.addAll(files.keySet());
  }

  private final class OpenFile implements File {
    private final Content content;

    OpenFile(Content content) {
      this.content = content;
    }

    @Override
    public long size() {
      return content.size;
    }

    @Override
    public void write(ByteBuffer source, long offset) {
      beforeChange.run();
      content.write(source, (int) offset);
    }

    @Override
    public void read(ByteBuffer target, long offset) throws IOException {
      if (offset + target.remaining() > content.size) {
        throw new EOFException("read at " + offset + " of " + content.size);
      }
      target.put(content.bytes, (int) offset, target.remaining());
    }

    @Override
    public void sync() {
      beforeChange.run();
      content.sync();
    }

    @Override
    public void truncate(long size) {
      beforeChange.run();
      content.size = (int) size;
    }

    @Override
    public void close() {
      // Nothing is held.
    }
  }
}
