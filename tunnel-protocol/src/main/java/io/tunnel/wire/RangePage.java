package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import java.util.Optional;

/**
 * One page of a range: {@code u8} whether there may be more, the bound to go on from (varint length
 * and bytes: the new {@code from} when reading forward, the new {@code to} when reading backward),
 * then a batch of PUT rows in the requested order. An empty page need not be the last.
 */
public record RangePage(Optional<Bytes> next, ChangeBatch rows) {

  /**
   * The bytes of a page with the batch in {@code batch}. Refuses empty bytes in {@code next}: the
   * reader would start again.
   */
  public static byte[] encode(Optional<Bytes> next, byte[] batch) {
    Bytes bound = next.orElse(Bytes.EMPTY);
    if (next.isPresent() == (bound.length() == 0)) {
      throw new IllegalArgumentException("an empty next is an open end: the range starts again");
    }
    ByteSink sink = new ByteSink(8 + bound.length() + batch.length);
    sink.writeByte(next.isPresent() ? 1 : 0);
    sink.writeVarint(bound.length());
    sink.write(bound);
    sink.write(batch, 0, batch.length);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes; the batch is a view of them. */
  public static RangePage decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("range page", payload);
    int more = reader.readByte();
    Bytes bound = reader.readSized();
    if (more > 1 || (more == 1) == (bound.length() == 0)) {
      throw new MalformedException(
          "a range page that says "
              + more
              + " (0 the last, 1 there may be more) with a bound of "
              + bound.length()
              + " bytes");
    }
    ChangeBatch rows = ChangeBatch.parse(payload, reader.at(), payload.length);
    if (reader.at() + rows.byteCount() != payload.length) {
      throw new MalformedException("bytes behind a range page's batch");
    }
    return new RangePage(more == 1 ? Optional.of(bound) : Optional.empty(), rows);
  }
}
