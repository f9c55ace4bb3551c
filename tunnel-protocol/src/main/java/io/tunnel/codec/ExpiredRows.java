package io.tunnel.codec;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.Bytes;
import java.util.List;

/**
 * A batch of DELETEs by which a server says that rows have expired. Each row has the attribute
 * {@link FormatFeature#EXPIRED}, which no writer may send.
 */
public final class ExpiredRows {

  /** The attributes of each row. */
  private static final Bytes ATTRIBUTES =
      Attributes.with(FormatFeature.EXPIRED.number(), Bytes.EMPTY, Bytes.EMPTY);

  /** Flags, no columns, and the attributes with their length. */
  private static final int BYTES_BESIDE_KEY = 2 + ATTRIBUTES.length() + Attributes.LENGTH_BYTES;

  private ExpiredRows() {}

  /** The attributes of a row that has expired. */
  public static Bytes attributes() {
    return ATTRIBUTES;
  }

  /**
   * The batch, without position and commit time.
   *
   * @param keys encoded keys, at least one
   */
  public static ChangeBatch of(int partition, List<Bytes> keys) {
    ByteSink sink = new ByteSink(ChangeBatch.HEADER_BYTES_MIN + 48 * keys.size());
    sink.skip(ChangeBatch.HEADER_BYTES_MIN);
    for (Bytes key : keys) {
      sink.writeVarint(Binary.varintBytes(key.length()) + key.length() + BYTES_BESIDE_KEY);
      sink.writeByte(ChangeKind.DELETE.code() | RowCursor.ATTRIBUTES_FLAG);
      sink.writeVarint(key.length());
      sink.write(key);
      sink.writeVarint(0);
      Attributes.writeBehind(sink, ATTRIBUTES);
    }
    int rowsBytes = sink.size() - ChangeBatch.HEADER_BYTES_MIN;
    byte[] array = BatchBuilder.complete(sink, 0, partition, keys.size(), rowsBytes, Bytes.EMPTY);
    return ChangeBatch.parse(array, 0, array.length);
  }
}
