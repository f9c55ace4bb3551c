package io.tunnel.server.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * One directory of files, as little of it as a log needs. A test's version keeps only what was
 * synced.
 *
 * <p>A write, a replacement and the creation of a file throw a {@link DiskFullException} when there
 * is no room. A part of what was to be written behind the end of a file may stay there then.
 */
public interface Disk {

  /** Names of all files. */
  List<String> list() throws IOException;

  /** Opens a file for reading and writing, creating it empty when there is none. */
  File open(String name) throws IOException;

  /**
   * Puts a whole file in place, durably: after a crash there is the new one or what was there
   * before, the old one or none.
   */
  void replace(String name, ByteBuffer content) throws IOException;

  /** The whole content of a file that never changes any more. */
  ByteBuffer readOnly(String name) throws IOException;

  /** Removes a file. */
  void delete(String name) throws IOException;

  /** Makes the names of created and deleted files durable. */
  void syncNames() throws IOException;

  /** Bytes that can still be written; a disk without a limit has {@link Long#MAX_VALUE}. */
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

    /** Cuts the file off. */
    void truncate(long size) throws IOException;
  }
}
