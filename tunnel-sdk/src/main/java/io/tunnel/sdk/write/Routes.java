package io.tunnel.sdk.write;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import java.util.List;

/**
 * Which lane a row belongs to, by one version of the table's partition map. Keys are compared as
 * they are encoded.
 */
final class Routes {

  private static final int KEY_BYTES_GUESS = 24;

  private final List<Lane> lanes;

  /** Where each lane but the first begins: encoded first key columns in rising order. */
  private final List<Bytes> bounds;

  Routes(List<Lane> lanes, List<Bytes> bounds) {
    this.lanes = List.copyOf(lanes);
    this.bounds = List.copyOf(bounds);
    if (bounds.size() != lanes.size() - 1) {
      throw new IllegalArgumentException(lanes.size() + " lanes with " + bounds.size() + " bounds");
    }
  }

  List<Lane> lanes() {
    return lanes;
  }

  /**
   * The lane of a row.
   *
   * @throws IllegalArgumentException when the first column of its key can never be encoded
   */
  Lane laneOf(RowChange row) {
    if (lanes.size() == 1) {
      return lanes.get(0);
    }
    ByteSink key = new ByteSink(KEY_BYTES_GUESS);
    KeyCodec.write(key, row.primaryKey().getPrimaryKeyColumns().get(0).getValue());
    int low = 0;
    int high = bounds.size();
    // The first bound that is above the key is where the lane behind the row's begins.
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (bounds.get(middle).compareTo(key.array(), 0, key.size()) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return lanes.get(low);
  }
}
