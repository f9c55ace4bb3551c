package io.tunnel.terminal.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.zip.GZIPInputStream;

/** Files that are compressed with gzip. */
public final class Gzip {

  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int MAGIC_BYTES = 2;

  private Gzip() {}

  /** What is in a compressed stream, of one part or several. */
  public static InputStream unpack(InputStream in) throws IOException {
    return new GZIPInputStream(new Unended(in), BUFFER_BYTES);
  }

  /** What is in a stream if its first bytes are gzip's, which no text in UTF-8 has; else itself. */
  public static InputStream unpackIfPacked(InputStream in) throws IOException {
    PushbackInputStream start = new PushbackInputStream(in, MAGIC_BYTES);
    byte[] magic = start.readNBytes(MAGIC_BYTES);
    start.unread(magic);
    boolean isPacked =
        magic.length == MAGIC_BYTES && magic[0] == (byte) 0x1f && magic[1] == (byte) 0x8b;
    return isPacked ? unpack(start) : start;
  }

  /**
   * A stream that never says that there is no more to read: Java's GZIP takes that for the end, and
   * leaves out the parts that come later through a pipe.
   */
  private static final class Unended extends FilterInputStream {

    Unended(InputStream in) {
      super(in);
    }

    @Override
    public int available() {
      return 1;
    }
  }
}
