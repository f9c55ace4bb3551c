package io.tunnel.stress;

import java.io.Closeable;

/** Reads the records of a file one by one; used by one thread. */
interface RecordReader extends Closeable {

  /**
   * The next record, or null behind the last.
   *
   * @throws BadLineException when there is a line that is no record; the next call goes on behind
   *     it
   * @throws java.io.UncheckedIOException when the file cannot be read
   */
  RawRecord next();
}
