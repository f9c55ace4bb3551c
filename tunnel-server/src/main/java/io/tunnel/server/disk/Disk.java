package io.tunnel.server.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A directory of files, with the operations that a log needs. An implementation for tests keeps
 * only synced bytes.
 *
 * <p>A write, a replacement and the creation of a file throw a {@link DiskFullException} when the
 * disk has no space. Then a part of the bytes that were to be appended to a file may stay in the
 * file.
 */
public interface Disk {

  /** Names of all files. */
  List<String> list() throws IOException;

  /** Opens a file for reading and writing, or creates an empty one. */
  File open(String name) throws IOException;

  /**
   * Replaces a complete file durably: after a crash there is either the new content or the old
   * state.
   */
  void replace(String name, ByteBuffer content) throws IOException;

  /** The complete content of a file that never changes again. */
  ByteBuffer readOnly(String name) throws IOException;

  /** Removes a file. */
  void delete(String name) throws IOException;

  /** Makes the names of created and deleted files durable. */
  void syncNames() throws IOException;

  /** Free bytes; {@link Long#MAX_VALUE} for a disk without a limit. */
  default long usableBytes() {
    return Long.MAX_VALUE;
  }

  /** An open file. Reads may come from any thread, writes from one. */
  interface File extends Closeable {

    /** Bytes in the file. */
    long size() throws IOException;

    /** Writes all of {@code source} at {@code offset}. */
    void write(ByteBuffer source, long offset) throws IOException;

    /**
     * Fills {@code target} from {@code offset}; an {@link java.io.EOFException} when the file ends
     * before.
     */
    void read(ByteBuffer target, long offset) throws IOException;

    /** Makes everything written durable. */
    void sync() throws IOException;

    /** Truncates the file to {@code size} bytes. */
    void truncate(long size) throws IOException;
  }
}
