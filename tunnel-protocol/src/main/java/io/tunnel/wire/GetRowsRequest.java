package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of one partition by their keys: {@code u32} table id, {@link ReadTerms}, a varint count, and
 * the keys in rising order, each a varint length and its bytes. The answer is a {@link RowPage} of
 * the rows that there are, in the order of the keys; its bound is the first key that was not looked
 * up.
 *
 * @param keys 1 to {@link Limits#GET_KEYS_MAX} keys, each above the one before
 */
public record GetRowsRequest(int tableId, List<Bytes> keys, ReadTerms terms) {

  /** Refuses no keys, too many keys, and keys that do not rise. */
  public GetRowsRequest {
    keys = List.copyOf(keys);
    if (keys.isEmpty() || keys.size() > Limits.GET_KEYS_MAX) {
      throw new IllegalArgumentException(wrongCount(keys.size()));
    }
    for (int i = 1; i < keys.size(); i++) {
      if (keys.get(i - 1).compareTo(keys.get(i)) >= 0) {
        throw new IllegalArgumentException(
            "key "
                + i
                + " of a get-rows request is not above the key before it; sort the keys,"
                + " and name each key once");
      }
    }
  }

  private static String wrongCount(int keys) {
    return "a get-rows request of "
        + keys
        + " keys; it has 1 to "
        + Limits.GET_KEYS_MAX
        + " of one partition";
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(64 * keys.size() + terms.sizeHint());
    sink.writeInt(tableId);
    terms.write(sink);
    sink.writeVarint(keys.size());
    for (Bytes key : keys) {
      sink.writeVarint(key.length());
      sink.write(key);
    }
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static GetRowsRequest decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("get-rows request", payload);
    int tableId = reader.readInt();
    ReadTerms terms = ReadTerms.read(reader);
    int count = reader.readVarint();
    if (count > Limits.GET_KEYS_MAX) {
      throw new MalformedException(wrongCount(count));
    }
    List<Bytes> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(reader.readSized());
    }
    reader.requireEnd();
    try {
      return new GetRowsRequest(tableId, keys, terms);
    } catch (IllegalArgumentException e) {
      throw new MalformedException(e.getMessage());
    }
  }
}
