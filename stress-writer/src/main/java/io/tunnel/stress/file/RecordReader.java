package io.tunnel.stress.file;

import io.tunnel.stress.rows.BadLineException;
import java.io.Closeable;
import java.util.List;
import java.util.Optional;

/** Reads the records of a file one by one; used by one thread. */
interface RecordReader extends Closeable {

  /** The columns of every record, when the file says them in advance. */
  Optional<List<String>> names();

  /**
   * The next record, or null behind the last.
   *
   * @throws BadLineException when there is a line that is no record; the next call goes on behind
   *     it
   * @throws io.tunnel.terminal.file.UnreadableTextException when the text cannot be read on
   */
  FileRecord next();

  /** The line at which the last {@link #next} began, from 1, also if it is no record. */
  long line();
}
