package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;

/**
 * Where base channels read rows: those of a tunnel's partitions as they were at one time, for as
 * long as the server can keep that state, and as they are now after that.
 */
public interface BaseRows {

  /**
   * Reads the next rows of a partition, in the order of their keys, and tells {@code sink} once, on
   * any thread.
   *
   * @param after the encoded key after which to read; empty for the first row
   * @param firstPosition the position that the first row gets in the batch
   * @param bytesMax bytes of the batch, if a single row is not larger; 0 only asks whether there is
   *     a row
   */
  void read(
      String tunnelId, int partition, Bytes after, long firstPosition, int bytesMax, Sink sink);

  /** Receives what was read. */
  interface Sink {

    /**
     * Comes first, from a source that knows it: the rows that follow are the partition with all
     * changes up to {@code position} and none after it.
     */
    default void at(long position) {}

    /**
     * A batch of PUT rows as {@link io.tunnel.codec.ChangeBatch} has it, positions from the first
     * asked for.
     *
     * @param lastPosition the position of its last row
     * @param lastKey the encoded key of its last row
     * @param isEnd whether there is no row after it
     */
    void rows(byte[] batch, long lastPosition, Bytes lastKey, boolean isEnd);

    /** There are rows after the key, and none was asked for. */
    void more();

    /** There is no row after the key. */
    void end();

    /** The rows cannot be read. */
    void failed(RuntimeException reason);
  }
}
