package io.tunnel.server.log;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is only looked at; what would change it is refused. */
record ReadOnlyFile(Disk.File file) implements Disk.File {

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
