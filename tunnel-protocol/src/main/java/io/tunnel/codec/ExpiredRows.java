package io.tunnel.codec;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.value.Bytes;
import java.util.List;

/**
 * A batch of DELETEs by which a server says that rows have expired, or that their session has
 * ended. Each row has the attribute {@link FormatFeature#CAUSE}, which no writer may send.
 */
public final class ExpiredRows {

  private static final Bytes SESSION_ENDED = Bytes.copyOf(new byte[] {1});

  private ExpiredRows() {}

  /** The attributes of a row that the server deletes. */
  public static Bytes attributes(DeletionCause cause) {
    Bytes value =
        switch (cause) {
          case EXPIRED -> Bytes.EMPTY;
          case SESSION_ENDED -> SESSION_ENDED;
        };
    return Attributes.with(FormatFeature.CAUSE.number(), value, Bytes.EMPTY);
  }

  /** The cause that an attribute {@link FormatFeature#CAUSE} says. */
  static DeletionCause cause(Bytes value) {
    if (value.length() == 0) {
      return DeletionCause.EXPIRED;
    }
    if (!value.equals(SESSION_ENDED)) {
      throw new NewerFormatException("a cause of a DELETE of " + value.length() + " bytes");
    }
    return DeletionCause.SESSION_ENDED;
  }

  /** As {@link #of(DeletionCause, int, List)}, for rows that have expired. */
  public static ChangeBatch of(int partition, List<Bytes> keys) {
    return of(DeletionCause.EXPIRED, partition, keys);
  }

  /**
   * The batch, without position and commit time.
   *
   * @param keys encoded keys, at least one
   */
  public static ChangeBatch of(DeletionCause cause, int partition, List<Bytes> keys) {
    Bytes attributes = attributes(cause);
    // Flags, no columns, and the attributes with their length.
    int besideKey = 2 + attributes.length() + Attributes.LENGTH_BYTES;
    ByteSink sink = new ByteSink(ChangeBatch.HEADER_BYTES_MIN + 48 * keys.size());
    sink.skip(ChangeBatch.HEADER_BYTES_MIN);
    for (Bytes key : keys) {
      sink.writeVarint(Binary.varintBytes(key.length()) + key.length() + besideKey);
      sink.writeByte(ChangeKind.DELETE.code() | RowCursor.ATTRIBUTES_FLAG);
      sink.writeVarint(key.length());
      sink.write(key);
      sink.writeVarint(0);
      Attributes.writeBehind(sink, attributes);
    }
    int rowsBytes = sink.size() - ChangeBatch.HEADER_BYTES_MIN;
    byte[] array = BatchBuilder.complete(sink, 0, partition, keys.size(), rowsBytes, Bytes.EMPTY);
    return ChangeBatch.parse(array, 0, array.length);
  }
}
