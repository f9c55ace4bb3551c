package io.tunnel.server.catalog;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.List;

/** Turns the split points of a new table into partitions. */
final class SplitPoints {

  private SplitPoints() {}

  /** Partitions before, between and after {@code points}, with ids from {@code firstId} on. */
  static List<PartitionRecord> partitions(
      PrimaryKeyType type, List<PrimaryKeyValue> points, int firstId) {
    List<Bytes> bounds = bounds(type, points);
    List<PartitionRecord> partitions = new ArrayList<>();
    for (int i = 0; i + 1 < bounds.size(); i++) {
      partitions.add(new PartitionRecord(firstId + i, bounds.get(i), bounds.get(i + 1), List.of()));
    }
    return partitions;
  }

  private static List<Bytes> bounds(PrimaryKeyType type, List<PrimaryKeyValue> points) {
    if (points.size() >= Limits.TABLE_PARTITIONS_MAX) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "a table has at most "
              + Limits.TABLE_PARTITIONS_MAX
              + " partitions, not "
              + (points.size() + 1));
    }
    List<Bytes> bounds = new ArrayList<>();
    bounds.add(Bytes.EMPTY);
    for (PrimaryKeyValue point : points) {
      if (point.getType() != type) {
        throw new RefusedException(
            ErrorCode.KEY_MISMATCH,
            "split point "
                + point
                + " is "
                + point.getType()
                + ", the first key column is "
                + type);
      }
      Bytes bound = KeyCodec.encode(point);
      if (bound.compareTo(bounds.get(bounds.size() - 1)) <= 0) {
        throw new RefusedException(
            ErrorCode.INVALID_REQUEST, "split points must rise, but " + point + " does not");
      }
      bounds.add(bound);
    }
    bounds.add(Bytes.EMPTY);
    return bounds;
  }
}
