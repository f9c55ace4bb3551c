package io.tunnel.stress.file;

import java.io.FilterInputStream;
import java.io.InputStream;

/**
 * A stream that never says that there is no more to read: Java's GZIP takes that for the end, and
 * leaves out what comes later through a pipe.
 */
final class UnendedStream extends FilterInputStream {

  UnendedStream(InputStream in) {
    super(in);
  }

  @Override
  public int available() {
    return 1;
  }
}
