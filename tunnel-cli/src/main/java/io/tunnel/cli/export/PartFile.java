package io.tunnel.cli.export;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonWriter;
import io.tunnel.cli.export.ExportFile.Part;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.stress.file.TypedJson;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The file of a part that is being written; one thread. Holds a buffer and no row: the text of a
 * row goes to the file in pieces, since it may be six times as long as the row.
 */
final class PartFile implements Closeable {

  private static final TypeAdapter<JsonElement> JSON = new Gson().getAdapter(JsonElement.class);

  private static final int BUFFER_BYTES = 256 * 1024;

  /** Bytes of a part that are read again at most after a kill. */
  private static final long SYNC_BYTES = 16L << 20;

  private final FileChannel file;
  private final CRC32C crc = new CRC32C();
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private final Writer text = new OutputStreamWriter(new Buffered(), StandardCharsets.UTF_8);

  /** Bytes in the file, durable or not; the bytes of the buffer come after these. */
  private long bytes;

  /** Rows in file and buffer, and the key of the last of them. */
  private long rows;

  private Optional<PrimaryKey> last;

  /** Whether the end of file and buffer is torn, because writing failed. */
  private boolean isTorn;

  /** What is durable. */
  private Part synced;

  /** Puts the bytes of rows into the buffer, and full buffers into the file. */
  private final class Buffered extends OutputStream {
    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      for (int at = 0; at < length; ) {
        if (!buffer.hasRemaining()) {
          drain();
        }
        int count = Math.min(length - at, buffer.remaining());
        buffer.put(source, offset + at, count);
        at += count;
      }
    }
  }

  private PartFile(FileChannel file, Part known) {
    this.file = file;
    this.bytes = known.bytes();
    this.rows = known.rows();
    this.last = known.last();
    this.synced = known;
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
    for (long at = 0; at < bytes; ) {
      read.clear().limit((int) Math.min(bytes - at, BUFFER_BYTES));
      int count = file.read(read, at);
      if (count < 0) {
        return -1;
      }
      crc.update(read.flip());
      at += count;
    }
    return crc.getValue();
  }

  /** Adds a row after the last one. */
  void add(Row row) throws IOException {
    isTorn = true;
    JSON.write(new JsonWriter(text), TypedJson.of(row));
    text.write('\n');
    text.flush();
    isTorn = false;
    rows++;
    last = Optional.of(row.primaryKey());
  }

  boolean isSyncDue() {
    return bytes - synced.bytes() >= SYNC_BYTES;
  }

  /**
   * Makes the rows that were added durable, and returns what is durable. After a row that could not
   * be written these are the rows of the sync before.
   */
  Part sync() throws IOException {
    if (!isTorn) {
      drain();
      file.force(true);
      synced = new Part(rows, bytes, crc.getValue(), last, false);
    }
    return synced;
  }

  private void drain() throws IOException {
    boolean wasTorn = isTorn;
    isTorn = true;
    buffer.flip();
    crc.update(buffer.duplicate());
    while (buffer.hasRemaining()) {
      bytes += file.write(buffer, bytes);
    }
    buffer.clear();
    isTorn = wasTorn;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
