package io.tunnel.stress;

import io.tunnel.model.ColumnType;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The rows of a CSV or JSON Lines file as puts, read as they are needed. One thread reads; others
 * may ask {@link #bytesRead}.
 */
public final class FileRows implements RowSource, Closeable {

  private final RecordReader reader;
  private final RowBinder binder;
  private final BadLines badLines;
  private final AtomicLong bytesRead;
  private final Path file;
  private long line;

  private FileRows(
      Path file, RecordReader reader, RowBinder binder, BadLines badLines, AtomicLong bytesRead) {
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
   */
  public record Binding(
      List<PrimaryKeySchema> schema, List<String> key, Map<String, ColumnType> types) {
    /** Copies. */
    public Binding {
      schema = List.copyOf(schema);
      key = List.copyOf(key);
      types = Map.copyOf(types);
    }
  }

  /**
   * Opens a file.
   *
   * @throws IllegalArgumentException when its name does not say its format, or the binding makes no
   *     sense
   * @throws BadLineException when its header is none
   * @throws UnreadableFileException when it cannot be read
   */
  public static FileRows open(Path file, Binding binding, BadLines badLines) {
    FileFormat format = FileFormat.of(file);
    RowBinder binder = new RowBinder(binding.schema(), binding.key(), binding.types());
    AtomicLong bytesRead = new AtomicLong();
    RecordReader reader = openReader(file, format, bytesRead);
    return new FileRows(file, reader, binder, badLines, bytesRead);
  }

  /** The columns that the first record of {@code file} names, in its order. */
  public static List<String> columnsOf(Path file) {
    try (RecordReader reader = openReader(file, FileFormat.of(file), new AtomicLong())) {
      if (reader instanceof CsvRecordReader csv) {
        return csv.names();
      }
      RawRecord first = reader.next();
      return first == null
          ? List.of()
          : first.fields().stream().map(RawRecord.Field::name).toList();
    } catch (IOException e) {
      throw new UnreadableFileException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private static RecordReader openReader(Path file, FileFormat format, AtomicLong bytesRead) {
    try {
      InputStream in = new CountedStream(Files.newInputStream(file), bytesRead);
      return format == FileFormat.CSV
          ? new CsvRecordReader(new BufferedInputStream(in))
          : new JsonRecordReader(in);
    } catch (IOException e) {
      throw new UnreadableFileException(
          "cannot read " + file + ": " + e.getClass().getSimpleName() + " " + e.getMessage(), e);
    }
  }

  @Override
  public RowChange next() {
    while (true) {
      try {
        RawRecord raw = reader.next();
        if (raw == null) {
          return null;
        }
        line = raw.line();
        return binder.bind(raw);
      } catch (BadLineException e) {
        badLines.found(file.getFileName() + " " + e.getMessage());
      }
    }
  }

  @Override
  public void refused(IllegalArgumentException why) {
    badLines.found(file.getFileName() + " line " + line + ": " + why.getMessage());
  }

  /** Bytes of the file that were read so far. */
  public long bytesRead() {
    return bytesRead.get();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  private static final class CountedStream extends FilterInputStream {
    private final AtomicLong bytes;

    CountedStream(InputStream in, AtomicLong bytes) {
      super(in);
      this.bytes = bytes;
    }

    @Override
    public int read() throws IOException {
      int next = super.read();
      if (next >= 0) {
        bytes.lazySet(bytes.get() + 1);
      }
      return next;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = super.read(target, offset, length);
      if (count > 0) {
        bytes.lazySet(bytes.get() + count);
      }
      return count;
    }
  }
}
