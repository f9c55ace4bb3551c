package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Bytes;
import java.util.Optional;

/**
 * One page of a range: {@code u8} whether there may be more, the bound to go on from (varint length
 * and bytes: the new {@code from} when reading forward, the new {@code to} when reading backward),
 * then a batch of PUT rows in the order asked for. A page may be empty and yet not the last.
 */
public record RangePage(Optional<Bytes> next, ChangeBatch rows) {

  /** The bytes of a page with the batch in {@code batch}. */
  public static byte[] encode(Optional<Bytes> next, byte[] batch) {
    Bytes bound = next.orElse(Bytes.EMPTY);
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
    boolean more = reader.readByte() != 0;
    Bytes bound = reader.readSized();
    ChangeBatch rows = ChangeBatch.parse(payload, reader.at(), payload.length);
    if (reader.at() + rows.byteCount() != payload.length) {
      throw new MalformedException("bytes behind a range page's batch");
    }
    return new RangePage(more ? Optional.of(bound) : Optional.empty(), rows);
  }
}
