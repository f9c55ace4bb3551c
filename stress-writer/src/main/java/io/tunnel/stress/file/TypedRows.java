package io.tunnel.stress.file;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.stress.rows.BadLineException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;

/**
 * Reads rows that tools have printed, one {@link TypedJson} a line, as puts of whole rows. Holds
 * one line.
 */
public final class TypedRows implements Closeable {

  private final JsonRecordReader reader;
  private final RowBinder binder;

  /**
   * Reads rows of a table with that key.
   *
   * @param in closed by {@link #close}
   */
  public TypedRows(InputStream in, List<PrimaryKeySchema> key) {
    reader = new JsonRecordReader(in);
    binder = new RowBinder(new FileRows.Binding(key, List.of(), Map.of(), false, false));
  }

  /** Skips {@code lines} lines without parsing them. */
  public void skip(long lines) {
    reader.skip(lines);
  }

  /**
   * The next row, or null after the last.
   *
   * @throws BadLineException when the next line is no row of the table; the message names the line
   * @throws UnreadableFileException when the file cannot be read
   */
  public RowPutChange next() {
    FileRecord record = reader.next();
    if (record == null) {
      return null;
    }
    if (!(record instanceof FileRecord.Change)) {
      throw new BadLineException("line " + record.line() + ": has no \"key\" and \"columns\"");
    }
    try {
      if (binder.bind(record) instanceof RowPutChange row && row.columnCondition().isEmpty()) {
        return row;
      }
    } catch (BadLineException e) {
      throw e;
    } catch (IllegalArgumentException e) { // Limits of rows.
      throw new BadLineException("line " + record.line() + ": " + e.getMessage());
    }
    throw new BadLineException("line " + record.line() + ": is a change, and not a row");
  }

  /** The line of the row that {@link #next} gave or refused, from 1. */
  public long line() {
    return reader.line();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
