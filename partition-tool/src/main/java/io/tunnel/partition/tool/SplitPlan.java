package io.tunnel.partition.tool;

import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;

/**
 * How a table is to be split.
 *
 * @param how in words, such as {@code evenly over a 4-byte hash}
 * @param points strictly rising values of the first key column
 * @param sampled keys of the sample in each partition; empty when there was no sample
 */
record SplitPlan(String how, List<PrimaryKeyValue> points, List<Long> sampled) {

  SplitPlan {
    points = List.copyOf(points);
    sampled = List.copyOf(sampled);
    if (!sampled.isEmpty() && sampled.size() != points.size() + 1) {
      throw new IllegalArgumentException(
          points.size() + " split points do not make " + sampled.size() + " partitions");
    }
  }

  SplitPlan(String how, List<PrimaryKeyValue> points) {
    this(how, points, List.of());
  }

  int partitions() {
    return points.size() + 1;
  }
}
