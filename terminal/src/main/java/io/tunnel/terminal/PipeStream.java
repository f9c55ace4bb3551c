package io.tunnel.terminal;

import java.io.FilterInputStream;
import java.io.InputStream;

/**
 * A stream of a file that has no positions, as a pipe: Java's own then throws from {@code
 * available}.
 */
final class PipeStream extends FilterInputStream {

  PipeStream(InputStream in) {
    super(in);
  }

  @Override
  public int available() {
    return 0;
  }
}
