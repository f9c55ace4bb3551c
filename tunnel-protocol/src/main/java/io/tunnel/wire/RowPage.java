package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Optional;

/**
 * The answer to each read of rows: {@code u8} flags (1 there may be more, 2 commit times), the
 * bound to continue from (varint length and bytes), {@code u32} rows and {@code u32} bytes that
 * were looked at, then a batch of PUT rows in the requested order, and with flag 2 for each row its
 * commit time, {@code i64} microseconds since 1970. An empty page need not be the last.
 *
 * @param next from where to continue: of a range the new {@code from} when reading forward and the
 *     new {@code to} when reading backward, after the last row that was looked at; of a list of
 *     keys the first key that was not looked up. Absent when all is answered
 * @param looked how far the server looked for these rows
 * @param commitMicros of each row, when asked for; otherwise empty
 */
public record RowPage(
    Optional<Bytes> next, Looked looked, ChangeBatch rows, List<Long> commitMicros) {

  private static final int FLAG_MORE = 1;
  private static final int FLAG_COMMIT_TIMES = 2;
  private static final int FLAGS_KNOWN = FLAG_MORE | FLAG_COMMIT_TIMES;

  /**
   * What a server looked at for an answer, whether or not it is in the answer.
   *
   * @param rows rows that were read, and keys that were looked up in vain
   * @param bytes bytes of their keys and stored values
   */
  public record Looked(int rows, int bytes) {
    /** Nothing. */
    public static final Looked NOTHING = new Looked(0, 0);

    /** Refuses what is negative. */
    public Looked {
      if (rows < 0 || bytes < 0) {
        throw new IllegalArgumentException("looked at " + rows + " rows of " + bytes + " bytes");
      }
    }
  }

  /** Refuses commit times that are not those of the rows. */
  public RowPage {
    commitMicros = List.copyOf(commitMicros);
    if (!commitMicros.isEmpty() && commitMicros.size() != rows.rowCount()) {
      throw new IllegalArgumentException(
          commitMicros.size() + " commit times of " + rows.rowCount() + " rows");
    }
  }

  /**
   * The bytes of a page with the batch in {@code batch}. Refuses empty bytes in {@code next}: the
   * reader would start again.
   *
   * @param commitMicros of each row; absent when not asked for
   */
  public static byte[] encode(
      Optional<Bytes> next, Looked looked, byte[] batch, Optional<List<Long>> commitMicros) {
    Bytes bound = next.orElse(Bytes.EMPTY);
    if (next.isPresent() == (bound.length() == 0)) {
      throw new IllegalArgumentException("an empty next is an open end: the range starts again");
    }
    int times = commitMicros.map(List::size).orElse(0);
    ByteSink sink = new ByteSink(16 + bound.length() + batch.length + Long.BYTES * times);
    sink.writeByte(
        (next.isPresent() ? FLAG_MORE : 0) | (commitMicros.isPresent() ? FLAG_COMMIT_TIMES : 0));
    sink.writeVarint(bound.length());
    sink.write(bound);
    sink.writeInt(looked.rows());
    sink.writeInt(looked.bytes());
    sink.write(batch, 0, batch.length);
    commitMicros.ifPresent(all -> all.forEach(sink::writeLong));
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes; the batch is a view of them. */
  public static RowPage decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("page of rows", payload);
    int flags = reader.readByte();
    Bytes bound = reader.readSized();
    boolean isMore = (flags & FLAG_MORE) != 0;
    if ((flags & ~FLAGS_KNOWN) != 0 || isMore == (bound.length() == 0)) {
      throw new MalformedException(
          "a page of rows with the flags "
              + flags
              + " (1 there may be more, 2 commit times) and a bound of "
              + bound.length()
              + " bytes");
    }
    int rows = reader.readInt();
    int bytes = reader.readInt();
    if (rows < 0 || bytes < 0) {
      throw new MalformedException(
          "a page that looked at "
              + Integer.toUnsignedString(rows)
              + " rows of "
              + Integer.toUnsignedString(bytes)
              + " bytes");
    }
    ChangeBatch batch = ChangeBatch.parse(payload, reader.at(), payload.length);
    reader.skip(batch.byteCount());
    int times = (flags & FLAG_COMMIT_TIMES) == 0 ? 0 : batch.rowCount();
    if (reader.left() != (long) times * Long.BYTES) {
      throw new MalformedException(
          reader.left()
              + " bytes after the batch of a page of rows, where "
              + times
              + " commit times should be");
    }
    Long[] commitMicros = new Long[times];
    for (int i = 0; i < times; i++) {
      commitMicros[i] = reader.readLong();
    }
    return new RowPage(
        isMore ? Optional.of(bound) : Optional.empty(),
        new Looked(rows, bytes),
        batch,
        List.of(commitMicros));
  }

  /** When the row at {@code index} of the batch was changed last; absent when not asked for. */
  public Optional<Long> commitMicrosOf(int index) {
    return commitMicros.isEmpty() ? Optional.empty() : Optional.of(commitMicros.get(index));
  }
}
