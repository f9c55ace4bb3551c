package io.tunnel.programs.bench.seeds.publish;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/** The data of a path, which says whose path it is. */
public final class PathData {

  /** Publisher and path. */
  public static final int HEADER_BYTES = 2 * Integer.BYTES;

  private PathData() {}

  /** As many bytes. */
  public static byte[] of(int publisher, int path, int bytes) {
    byte[] data = new byte[bytes];
    ByteBuffer.wrap(data).putInt(publisher).putInt(path);
    Arrays.fill(data, HEADER_BYTES, bytes, (byte) 'x');
    return data;
  }

  /** What is wrong with the data that was read of a path; empty when it is right. */
  public static Optional<String> wrong(byte[] data, int publisher, int path, int bytes) {
    return Arrays.equals(data, of(publisher, path, bytes))
        ? Optional.empty()
        : Optional.of(
            "the data of path " + path + " of publisher " + publisher + " is another one's");
  }
}
