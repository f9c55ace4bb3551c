package io.tunnel.bench.flink.recovery;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a {@link RecoveryMain} tells: figures of each repetition, by name.
 *
 * @param failures times from the failure of a task on
 * @param savepoints times of a stop, and from the start of the next job on
 * @param rows that were written, and that the job has seen once each
 */
record RecoveryTimes(
    List<Map<String, Double>> failures, List<Map<String, Double>> savepoints, long rows) {
  RecoveryTimes {
    failures = copy(failures);
    savepoints = copy(savepoints);
  }

  private static List<Map<String, Double>> copy(List<Map<String, Double>> repetitions) {
    return repetitions.stream()
        .map(each -> Collections.unmodifiableMap(new LinkedHashMap<>(each)))
        .toList();
  }
}
