package io.tunnel.stress.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what one thread reads; others may ask. */
final class CountedStream extends FilterInputStream {

  private final AtomicLong bytes;

  CountedStream(InputStream in, AtomicLong bytes) {
    super(in);
    this.bytes = bytes;
  }

  @Override
  public int read() throws IOException {
    int next = super.read();
    if (next >= 0) {
      bytes.lazySet(bytes.get() + 1);
    }
    return next;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int count = super.read(target, offset, length);
    if (count > 0) {
      bytes.lazySet(bytes.get() + count);
    }
    return count;
  }
}
