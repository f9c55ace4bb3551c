package io.tunnel.stress.file;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.ColumnType;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.stress.rows.RowSource;
import io.tunnel.terminal.file.UnreadableTextException;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The rows of a CSV or JSON Lines file, read as they are needed. One thread reads; others may ask
 * {@link #bytesRead}.
 *
 * <p>A file without a single readable row is an error, also when bad lines are skipped: otherwise
 * an unusable file would end with success.
 *
 * <p>Giving, skipping and counting rows stand in one class, because all three take the records that
 * were looked at before the first row is given.
 */
public final class FileRows implements RowSource, Closeable {

  /** Records of JSON Lines that are looked at for the columns of the key before any is given. */
  private static final int LOOK_AHEAD_MAX = 100;

  private final RowFile file;
  private final RecordReader reader;
  private final RowBinder binder;
  private final BadLines badLines;
  private final AtomicLong bytesRead;

  /** Records that were looked at and not given yet. */
  private final Deque<FileRecord> ahead = new ArrayDeque<>();

  /**
   * The error of the line behind the rows that were read ahead; null when that line was read well.
   */
  private BadLineException aheadBad;

  /** The line of {@link #aheadBad}. */
  private long aheadBadLine;

  /** The line of the record that was given or refused last. */
  private long line;

  /** Rows given and not refused. */
  private long rows;

  /** Lines of this reading that were skipped. */
  private long skipped;

  private FileRows(
      RowFile file,
      RecordReader reader,
      RowBinder binder,
      BadLines badLines,
      AtomicLong bytesRead) {
    this.file = file;
    this.reader = reader;
    this.binder = binder;
    this.badLines = badLines;
    this.bytesRead = bytesRead;
  }

  /**
   * What rows to make of a file.
   *
   * @param schema the key of the table that the rows are for
   * @param key the file's columns that are the key, in the order of {@code schema}; none if they
   *     are called as in {@code schema}
   * @param types types of attributes; the others' are inferred
   * @param isHashed whether the first column of the key may be left out, being the {@linkplain
   *     HashedKey hash} of the others
   * @param mayAdd whether a record of plain columns may add to some, and is an UPDATE then
   */
  public record Binding(
      List<PrimaryKeySchema> schema,
      List<String> key,
      Map<String, ColumnType> types,
      boolean isHashed,
      boolean mayAdd) {
    /** Copies. */
    public Binding {
      schema = List.copyOf(schema);
      key = List.copyOf(key);
      types = Map.copyOf(types);
    }

    /** A binding whose key has a leading hash when the schema has one. */
    public Binding(List<PrimaryKeySchema> schema, List<String> key, Map<String, ColumnType> types) {
      this(schema, key, types, HashedKey.isHashed(schema), false);
    }
  }

  /**
   * Opens a file.
   *
   * @throws IllegalArgumentException when its name does not say its format, or the binding names
   *     columns that are not there
   * @throws BadLineException when its header is none
   * @throws UnreadableFileException when it cannot be read
   */
  public static FileRows open(RowFile file, Binding binding, BadLines badLines) {
    RowBinder binder = new RowBinder(binding);
    AtomicLong bytesRead = new AtomicLong();
    FileRows rows = new FileRows(file, file.open(bytesRead), binder, badLines, bytesRead);
    try {
      rows.lookAhead();
      return rows;
    } catch (UnreadableTextException e) {
      rows.closeBecause(e);
      throw file.unreadable(e.getMessage(), e);
    } catch (RuntimeException e) {
      rows.closeBecause(e);
      throw e;
    }
  }

  private void closeBecause(RuntimeException why) {
    try {
      close();
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  /** Finds the columns of the key before anything is written. */
  private void lookAhead() {
    try {
      if (reader.names().isPresent()) {
        binder.requireKey(reader.names().get());
        binder.requireTyped(reader.names().get());
        return;
      }
      Set<String> columns = new LinkedHashSet<>();
      boolean isPlain = false;
      while (ahead.size() < LOOK_AHEAD_MAX && aheadBad == null) {
        FileRecord record = nextAhead();
        if (record == null) {
          break;
        }
        ahead.add(record);
        if (record instanceof FileRecord.Plain plain) {
          isPlain = true;
          plain.fields().forEach(field -> columns.add(field.name()));
        }
      }
      if (isPlain) {
        binder.requireKey(columns);
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file.name() + ": " + e.getMessage(), e);
    }
  }

  private FileRecord nextAhead() {
    try {
      return reader.next();
    } catch (BadLineException e) {
      aheadBad = e;
      aheadBadLine = reader.line();
      return null;
    }
  }

  /** The columns that the first record of {@code file} names, in its order. */
  public static List<String> columnsOf(RowFile file) {
    try (RecordReader reader = file.open(new AtomicLong())) {
      if (reader.names().isPresent()) {
        return reader.names().get();
      }
      FileRecord first = reader.next();
      if (first instanceof FileRecord.Change) {
        throw new BadLineException(
            file.name()
                + " line "
                + first.line()
                + ": is a row as tools print it; here its columns themselves are needed");
      }
      return first instanceof FileRecord.Plain plain
          ? plain.fields().stream().map(FileRecord.Field::name).toList()
          : List.of();
    } catch (IOException e) {
      throw file.unreadable("cannot be read: " + e.getMessage(), e);
    } catch (UnreadableTextException e) {
      throw file.unreadable(e.getMessage(), e);
    }
  }

  @Override
  public RowChange next() {
    while (true) {
      try {
        FileRecord record = nextRecord();
        if (record == null) {
          break;
        }
        RowChange row = binder.bind(record);
        rows++;
        return row;
      } catch (BadLineException e) {
        skip(e.getMessage());
      } catch (IllegalArgumentException e) { // Limits of rows.
        skip("line " + line + ": " + e.getMessage());
      } catch (UnreadableTextException e) {
        throw file.unreadable(e.getMessage(), e);
      }
    }
    requireSomething();
    return null;
  }

  private FileRecord nextRecord() {
    if (!ahead.isEmpty()) {
      line = ahead.element().line();
      return ahead.remove();
    }
    if (aheadBad != null) {
      BadLineException bad = aheadBad;
      aheadBad = null;
      line = aheadBadLine;
      throw bad;
    }
    try {
      FileRecord record = reader.next();
      line = record == null ? line : record.line();
      return record;
    } catch (BadLineException e) {
      line = reader.line();
      throw e;
    }
  }

  /** Skips the records that begin at or before {@code lastLine}; call before {@link #next}. */
  public void skipTo(long lastLine) {
    while (line <= lastLine) {
      try {
        FileRecord record = nextRecord();
        if (record == null) {
          return;
        }
        if (record.line() > lastLine) {
          ahead.addFirst(record);
          line = lastLine;
          return;
        }
      } catch (BadLineException e) {
        if (line > lastLine) {
          aheadBad = e;
          aheadBadLine = line;
          line = lastLine;
          return;
        }
      } catch (UnreadableTextException e) {
        throw file.unreadable(e.getMessage(), e);
      }
    }
  }

  /** The line of the record that was given, or found bad, last; 0 before the first. */
  public long line() {
    return line;
  }

  /**
   * Counts the records and bad lines that are left, by reading on, until there are none or {@code
   * isEnough}.
   */
  public long left(BooleanSupplier isEnough) {
    long left = 0;
    while (!isEnough.getAsBoolean()) {
      try {
        if (nextRecord() == null) {
          break;
        }
        left++;
      } catch (BadLineException e) {
        left++;
      } catch (UnreadableTextException e) {
        break;
      }
    }
    return left;
  }

  private void skip(String message) {
    badLines.found(file.name() + " " + message);
    skipped++;
  }

  /** Behind the last record. */
  private void requireSomething() {
    if (rows == 0) {
      throw new BadLineException(
          file.name()
              + (skipped == 0
                  ? " has no row"
                  : " has no row that could be written: all of its "
                      + skipped
                      + " lines were skipped"));
    }
    if (!binder.unseenTypes().isEmpty() && reader.names().isEmpty()) {
      throw new BadLineException(
          file.name() + " has no column " + binder.unseenTypes() + " that --types could be for");
    }
  }

  @Override
  public void refused(IllegalArgumentException why) {
    rows--;
    skip("line " + line + ": " + why.getMessage());
  }

  /** Bytes of the file that were read so far. */
  public long bytesRead() {
    return bytesRead.get();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
