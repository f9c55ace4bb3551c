package io.tunnel.partition.tool;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.HashedKey;
import java.util.ArrayList;
import java.util.List;

/**
 * Split points for a wanted number of partitions. n partitions have n-1 points, strictly rising in
 * the order of keys; the first partition is open below and the last above, so that every key has
 * one.
 *
 * <p>The even strategies divide a range of s values so that partitions differ by at most one value.
 * s may be 2^64, which no long holds: sizes are unsigned and 0 stands for 2^64.
 */
final class SplitPlanCore {

  /** 16^15 is the largest power of 16 below 2^63. */
  static final int HEX_WIDTH_MAX = 15;

  private SplitPlanCore() {}

  /** Points that divide the values of a 4-byte hash evenly; each is 4 bytes. */
  static List<PrimaryKeyValue> hash4(int partitions) {
    return HashedKey.splitPoints(partitions);
  }

  /**
   * Points that divide the texts of {@code width} hexadecimal digits evenly.
   *
   * @param isUpperCase whether the keys are written with A-F: these sort before a-f
   */
  static List<PrimaryKeyValue> hex(int width, boolean isUpperCase, int partitions) {
    if (width < 1 || width > HEX_WIDTH_MAX) {
      throw new IllegalArgumentException(
          "--width is 1 to " + HEX_WIDTH_MAX + " hexadecimal digits, not " + width);
    }
    long size = 1L << (4 * width);
    if (size < partitions) {
      throw new IllegalArgumentException(
          width
              + " hexadecimal digits have "
              + size
              + " values, too few for "
              + partitions
              + " partitions: raise --width, or at most --partitions "
              + size);
    }
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (long point : evenly(0, size, partitions)) {
      String format = "%0" + width + (isUpperCase ? "X" : "x");
      points.add(PrimaryKeyValue.fromString(String.format(format, point)));
    }
    return points;
  }

  /** Points that divide the integers from {@code lowest} to {@code highest}, both included. */
  static List<PrimaryKeyValue> integers(long lowest, long highest, int partitions) {
    if (lowest > highest) {
      throw new IllegalArgumentException(
          "--from " + lowest + " is over --to " + highest + ": give the lowest key first");
    }
    long size = highest - lowest + 1;
    if (size != 0 && Long.compareUnsigned(size, partitions) < 0) {
      throw new IllegalArgumentException(
          "from "
              + lowest
              + " to "
              + highest
              + " there are "
              + size
              + " keys: at most --partitions "
              + size);
    }
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (long point : evenly(lowest, size, partitions)) {
      points.add(PrimaryKeyValue.fromLong(point));
    }
    return points;
  }

  /**
   * The inner ends of {@code parts} even ranges of {@code size} values from {@code lowest} on, all
   * modulo 2^64. With size = q * parts + r, point i is i * q + floor(i * r / parts); r and parts
   * are small, so nothing overflows that must not.
   */
  private static long[] evenly(long lowest, long size, int parts) {
    long q = Long.divideUnsigned(size - 1, parts);
    long r = Long.remainderUnsigned(size - 1, parts) + 1;
    long[] points = new long[parts - 1];
    for (int i = 1; i < parts; i++) {
      points[i - 1] = lowest + i * q + i * r / parts;
    }
    return points;
  }

  /** The points as they were given, which must rise. */
  static List<PrimaryKeyValue> explicit(List<PrimaryKeyValue> points) {
    Bytes before = Bytes.EMPTY;
    for (int i = 0; i < points.size(); i++) {
      Bytes point = KeyCodec.encode(points.get(i));
      if (before.compareTo(point) >= 0) {
        throw new IllegalArgumentException(
            "split points must rise, but '"
                + KeyText.format(points.get(i))
                + "' comes after '"
                + KeyText.format(points.get(i - 1))
                + "': give each once, in the order of keys");
      }
      before = point;
    }
    return points;
  }

  /** {@code partitions} unless a table cannot have so many. */
  static int requirePartitions(int partitions) {
    if (partitions < 1 || partitions > Limits.TABLE_PARTITIONS_MAX) {
      throw new IllegalArgumentException(
          "a table has 1 to " + Limits.TABLE_PARTITIONS_MAX + " partitions, not " + partitions);
    }
    return partitions;
  }
}
