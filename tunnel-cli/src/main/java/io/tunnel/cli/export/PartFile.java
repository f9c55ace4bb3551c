package io.tunnel.cli.export;

import io.tunnel.cli.export.ExportFile.Part;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.Utf8;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.stress.file.TypedJson;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.zip.CRC32C;

/** The file of a part that is being written; one thread. */
final class PartFile implements Closeable {

  private static final int BUFFER_BYTES = 256 * 1024;

  /** Bytes that a killed export repeats at most for each part that it was writing. */
  private static final long SYNC_BYTES = 16L << 20;

  private final FileChannel file;
  private final CRC32C crc = new CRC32C();
  private final ByteSink buffer = new ByteSink(BUFFER_BYTES);

  /** Rows in the buffer, and the key of the last of them. */
  private long bufferedRows;

  private PrimaryKey bufferedLast;

  /** What the file has, durable or not. */
  private Part written;

  /** What of {@link #written} is durable. */
  private long syncedBytes;

  private PartFile(FileChannel file, Part written) {
    this.file = file;
    this.written = written;
    this.syncedBytes = written.bytes();
  }

  /**
   * Opens a part for the rows after {@code known}. Reads the rows that the file has, because their
   * checksum goes on, and cuts off what a killed export left after them.
   *
   * @return empty when the file does not have what {@code known} says
   */
  static Optional<PartFile> open(Path path, Part known) throws IOException {
    FileChannel file =
        PrivateFiles.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    PartFile part = new PartFile(file, known);
    try {
      if (file.size() >= known.bytes() && part.crcOfFile() == known.crc32c()) {
        file.truncate(known.bytes());
        file.position(known.bytes());
        return Optional.of(part);
      }
      file.close();
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      try (file) {
        throw e;
      }
    }
  }

  private long crcOfFile() throws IOException {
    ByteBuffer read = ByteBuffer.allocate(BUFFER_BYTES);
    for (long left = written.bytes(); left > 0; ) {
      read.clear().limit((int) Math.min(left, BUFFER_BYTES));
      int count = file.read(read);
      if (count < 0) {
        return -1;
      }
      crc.update(read.flip());
      left -= count;
    }
    return crc.getValue();
  }

  /** Adds a row behind the last one. */
  void add(Row row) throws IOException {
    byte[] line = Utf8.encode(TypedJson.of(row).toString());
    buffer.write(line, 0, line.length);
    buffer.writeByte('\n');
    bufferedRows++;
    bufferedLast = row.primaryKey();
    if (buffer.size() >= BUFFER_BYTES) {
      flush();
    }
  }

  /** Bytes of the rows that were added so far, now and before. */
  long bytes() {
    return written.bytes() + buffer.size();
  }

  boolean isSyncDue() {
    return written.bytes() - syncedBytes >= SYNC_BYTES;
  }

  /** Makes the rows that were added durable, and returns what the file has. */
  Part sync() throws IOException {
    flush();
    file.force(true);
    syncedBytes = written.bytes();
    return written;
  }

  /** Writes complete rows: a write that fails leaves a torn end that {@link #open} cuts off. */
  private void flush() throws IOException {
    if (bufferedRows == 0) {
      return;
    }
    ByteBuffer bytes = ByteBuffer.wrap(buffer.array(), 0, buffer.size());
    long at = written.bytes();
    while (bytes.hasRemaining()) {
      at += file.write(bytes, at);
    }
    crc.update(buffer.array(), 0, buffer.size());
    written =
        new Part(
            written.rows() + bufferedRows, at, crc.getValue(), Optional.of(bufferedLast), false);
    bufferedRows = 0;
    buffer.truncate(0);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
