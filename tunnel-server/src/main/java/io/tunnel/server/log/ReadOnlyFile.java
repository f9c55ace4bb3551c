package io.tunnel.server.log;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A file that is only looked at; what would change it is refused. */
record ReadOnlyFile(FileChannel file) implements Disk.File {

  private static final String REFUSAL = "the file is only read";

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
