package io.tunnel.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A file that refuses all changes. */
public record ReadOnlyFile(Disk.File file) implements Disk.File {

  private static final String REFUSAL = "the file is only read";

  /** A file of the file system; the opener of the channel closes it. */
  public static ReadOnlyFile of(FileChannel channel) {
    return new ReadOnlyFile(new FileDisk.ChannelFile(channel));
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  @Override
  public void write(ByteBuffer source, long offset) throws IOException {
    throw new IOException(REFUSAL);
  }

  @Override
  public void read(ByteBuffer target, long offset) throws IOException {
    file.read(target, offset);
  }

  @Override
  public void sync() throws IOException {
    throw new IOException(REFUSAL);
  }

  @Override
  public void truncate(long size) throws IOException {
    throw new IOException(REFUSAL);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
