package io.tunnel.it.sim.story;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/** How often each position of each channel was processed, by whomever. */
final class StoryProgress {

  private final Map<String, TreeMap<Long, Integer>> countByChannel = new TreeMap<>();

  void add(String channel, long first, long last) {
    TreeMap<Long, Integer> counts = countByChannel.computeIfAbsent(channel, any -> new TreeMap<>());
    for (long position = first; position <= last; position++) {
      counts.merge(position, 1, Integer::sum);
    }
  }

  /** A line for each channel. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    countByChannel.forEach(
        (channel, counts) -> {
          List<Long> again = counts.keySet().stream().filter(each -> counts.get(each) > 1).toList();
          lines.add(
              channel
                  + " processed "
                  + ranges(counts, each -> true)
                  + (again.isEmpty()
                      ? ", nothing twice"
                      : ", more than once " + ranges(counts, each -> counts.get(each) > 1)));
        });
    return lines;
  }

  private static String ranges(NavigableMap<Long, Integer> counts, LongPredicate isMeant) {
    List<String> ranges = new ArrayList<>();
    long first = -1;
    long last = -1;
    for (long position : counts.keySet()) {
      if (isMeant.test(position)) {
        if (first >= 0 && position != last + 1) {
          ranges.add(range(first, last));
          first = -1;
        }
        first = first < 0 ? position : first;
        last = position;
      }
    }
    ranges.add(range(first, last));
    return String.join(" and ", ranges);
  }

  private static String range(long first, long last) {
    return first == last ? first + "" : first + ".." + last;
  }
}
