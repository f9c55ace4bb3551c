package io.tunnel.server.engine;

import io.tunnel.server.disk.Disk;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Files in memory. A loss of power takes back all that was not synced. For one thread. */
final class MemoryDisk implements Disk {

  private final TreeMap<String, Content> files = new TreeMap<>();
  private final Set<String> durableNames = new TreeSet<>();

  private static final class Content {
    private byte[] bytes = new byte[0];
    private int size;
    private byte[] durable = new byte[0];

    static Content of(byte[] bytes) {
      Content content = new Content();
      content.bytes = bytes;
      content.size = bytes.length;
      content.sync();
      return content;
    }

    byte[] all() {
      return Arrays.copyOf(bytes, size);
    }

    void write(ByteBuffer source, int offset) {
      int end = offset + source.remaining();
      if (bytes.length < end) {
        bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length * 2));
      }
      source.get(bytes, offset, source.remaining());
      size = Math.max(size, end);
    }

    void sync() {
      durable = all();
    }
  }

  /** The disk as the next process finds it. What the former process does to this one is lost. */
  MemoryDisk afterDeath(boolean losesPower) {
    MemoryDisk left = new MemoryDisk();
    files.forEach(
        (name, content) -> {
          if (!losesPower) {
            left.files.put(name, Content.of(content.all()));
          } else if (durableNames.contains(name)) {
            left.files.put(name, Content.of(content.durable.clone()));
          }
        });
    left.durableNames.addAll(left.files.keySet());
    return left;
  }

  @Override
  public List<String> list() {
    return List.copyOf(files.keySet());
  }

  @Override
  public File open(String name) {
    return new OpenFile(files.computeIfAbsent(name, any -> new Content()));
  }

  @Override
  public void replace(String name, ByteBuffer source) {
    Content content = new Content();
    content.write(source, 0);
    content.sync();
    files.put(name, content);
    durableNames.add(name);
  }

  @Override
  public ByteBuffer readOnly(String name) {
    return ByteBuffer.wrap(files.get(name).all()).asReadOnlyBuffer();
  }

  @Override
  public void delete(String name) {
    files.remove(name);
  }

  @Override
  public void syncNames() {
    durableNames.addAll(files.keySet());
  }

  private record OpenFile(Content content) implements File {

    @Override
    public long size() {
      return content.size;
    }

    @Override
    public void write(ByteBuffer source, long offset) {
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
      content.sync();
    }

    @Override
    public void truncate(long size) {
      content.size = (int) size;
    }

    @Override
    public void close() {
      // Nothing is held.
    }
  }
}
