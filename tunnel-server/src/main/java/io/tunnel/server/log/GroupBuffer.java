package io.tunnel.server.log;

import java.nio.ByteBuffer;

/**
 * The bytes of the group that is being written, outside the heap: the system takes them from there,
 * while bytes of an array would be copied out of the heap first. As large as the largest group so
 * far; belongs to the log's owner.
 */
final class GroupBuffer {

  private static final int BYTES_MIN = 4 * 1024;

  private ByteBuffer bytes = ByteBuffer.allocateDirect(0);

  /** Begins a group with {@code batchBytes} bytes of batches. */
  void begin(int batchBytes) {
    int wanted = Math.addExact(LogFormat.GROUP_HEADER_BYTES, batchBytes);
    if (bytes.capacity() < wanted) {
      int doubled = (int) Math.min(Integer.MAX_VALUE, 2L * bytes.capacity());
      bytes = ByteBuffer.allocateDirect(Math.max(Math.max(BYTES_MIN, wanted), doubled));
    }
    bytes.clear();
  }

  /** Adds bytes, of which there are no more in the end than it was begun for. */
  void write(byte[] source, int offset, int length) {
    bytes.put(source, offset, length);
  }

  /** What was added, to be read once. */
  ByteBuffer written() {
    return bytes.flip();
  }
}
