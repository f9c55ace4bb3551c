package io.tunnel.sdk.write;

import io.tunnel.model.RowChange;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;

/** Which lane a row belongs to, by one version of the table's partition map. */
final class Routes {

  private final List<Lane> lanes;

  /** Where each lane but the first begins, in rising order. */
  private final List<Bound> bounds;

  Routes(List<Lane> lanes, List<Bound> bounds) {
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
   * The lane of a row: any, when its key is none of the table's.
   *
   * @throws IllegalArgumentException perhaps, when the first column of its key can never be encoded
   */
  Lane laneOf(RowChange row) {
    if (lanes.size() == 1) {
      return lanes.get(0);
    }
    PrimaryKeyValue column = row.primaryKey().getPrimaryKeyColumns().get(0).getValue();
    int low = 0;
    int high = bounds.size();
    // The first bound that is above the key is where the lane behind the row's begins.
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (bounds.get(middle).isAtOrBelow(column)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return lanes.get(low);
  }
}
