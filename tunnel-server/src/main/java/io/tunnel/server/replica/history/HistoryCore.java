package io.tunnel.server.replica.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * Which pages of the shared log are held for channels that are behind the local log, and which are
 * fetched next. Channels at different positions of a partition have separate pages. The pages of a
 * partition are fetched one by one, in the order of the requests, so no request starves. The least
 * recently used pages are evicted first.
 */
final class HistoryCore {

  /** Places that may wait to be fetched; beyond, the oldest is asked to ask again. */
  static final int WANTED_MAX = 4_096;

  private final long bytesMax;
  private final int fetchesMax;
  private final Map<Integer, NavigableMap<Long, Held>> pages = new HashMap<>();
  private final Map<Integer, Fetch> fetches = new TreeMap<>();

  /** What waits, with the limits of the fetches. */
  private final Map<Place, Long> wanted = new LinkedHashMap<>();

  private long bytes;
  private long ticks;

  private record Place(int partition, long position) {}

  /** A page, and when it was looked at last. */
  private record Held(HistoryPage page, long tick) {}

  /**
   * Records that are read for a page.
   *
   * @param number no other fetch has it
   * @param limit in front of which the page ends at the latest
   * @param micros commit time of the change before, if it is known
   */
  record Fetch(int partition, long number, long from, long limit, long micros) {}

  /**
   * What is to be done.
   *
   * @param ended partitions that are read no more
   * @param begun those that are read from now on
   * @param woken partitions whose channels have to look again
   */
  record Work(Set<Integer> ended, List<Fetch> begun, Set<Integer> woken) {
    static final Work NONE = new Work(Set.of(), List.of(), Set.of());
  }

  /**
   * Nothing is held.
   *
   * @param bytesMax of pages, and one page more
   * @param fetchesMax partitions that are read at the same time
   */
  HistoryCore(long bytesMax, int fetchesMax) {
    this.bytesMax = bytesMax;
    this.fetchesMax = fetchesMax;
  }

  /** The page that holds a position. */
  Optional<HistoryPage> find(int partition, long position) {
    NavigableMap<Long, Held> held = pages.getOrDefault(partition, new TreeMap<>());
    Map.Entry<Long, Held> found = held.floorEntry(position);
    if (found == null || found.getValue().page().next() <= position) {
      return Optional.empty();
    }
    HistoryPage page = found.getValue().page();
    held.put(page.from(), new Held(page, ++ticks));
    return Optional.of(page);
  }

  /** A channel waits for a page that begins there, and ends in front of {@code limit}. */
  Work want(int partition, long position, long limit) {
    Fetch underWay = fetches.get(partition);
    if (underWay != null && underWay.from() == position) {
      return Work.NONE;
    }
    wanted.putIfAbsent(new Place(partition, position), limit);
    Set<Integer> woken = new TreeSet<>();
    if (wanted.size() > WANTED_MAX) {
      Place oldest = wanted.keySet().iterator().next();
      wanted.remove(oldest);
      woken.add(oldest.partition());
    }
    return next(Set.of(), woken);
  }

  /** Begins what may begin. */
  private Work next(Set<Integer> over, Set<Integer> woken) {
    List<Fetch> begun = new ArrayList<>();
    Iterator<Map.Entry<Place, Long>> waiting = wanted.entrySet().iterator();
    while (waiting.hasNext() && fetches.size() < fetchesMax) {
      Map.Entry<Place, Long> first = waiting.next();
      Place place = first.getKey();
      if (!fetches.containsKey(place.partition())) {
        waiting.remove();
        Fetch fetch = fetch(place, first.getValue());
        fetches.put(place.partition(), fetch);
        begun.add(fetch);
      }
    }
    Set<Integer> ended = new TreeSet<>(over);
    begun.forEach(fetch -> ended.remove(fetch.partition()));
    return new Work(ended, begun, woken);
  }

  private Fetch fetch(Place place, long limit) {
    Map.Entry<Long, Held> before =
        pages.getOrDefault(place.partition(), new TreeMap<>()).lowerEntry(place.position());
    boolean isNext = before != null && before.getValue().page().next() == place.position();
    long micros = isNext ? before.getValue().page().micros() : 0;
    return new Fetch(place.partition(), ++ticks, place.position(), limit, micros);
  }

  /** The fetch of a partition that is under way. */
  Optional<Fetch> fetching(int partition) {
    return Optional.ofNullable(fetches.get(partition));
  }

  /** Ends a fetch; does nothing if the fetch is no longer in flight. */
  Work fetched(Fetch fetch, HistoryPage page) {
    if (!fetches.remove(fetch.partition(), fetch)) {
      return Work.NONE;
    }
    Held former =
        pages
            .computeIfAbsent(fetch.partition(), key -> new TreeMap<>())
            .put(page.from(), new Held(page, ++ticks));
    bytes += page.bytes() - (former == null ? 0 : former.page().bytes());
    while (bytes > bytesMax && count() > 1) {
      giveUpOldest();
    }
    return next(Set.of(fetch.partition()), Set.of(fetch.partition()));
  }

  /** Nothing comes of a fetch; the readers that wait for it have to look again. */
  Work abandoned(Fetch fetch) {
    return fetches.remove(fetch.partition(), fetch)
        ? next(Set.of(fetch.partition()), Set.of(fetch.partition()))
        : Work.NONE;
  }

  private void giveUpOldest() {
    Held oldest = null;
    for (NavigableMap<Long, Held> held : pages.values()) {
      for (Held each : held.values()) {
        oldest = oldest == null || each.tick() < oldest.tick() ? each : oldest;
      }
    }
    remove(oldest.page());
  }

  private void remove(HistoryPage page) {
    NavigableMap<Long, Held> held = pages.get(page.partition());
    held.remove(page.from());
    if (held.isEmpty()) {
      pages.remove(page.partition());
    }
    bytes -= page.bytes();
  }

  /** Forgets all partitions but those; a reader that waits for another one has to look again. */
  Work keep(IntPredicate isKept) {
    Set<Integer> woken = new TreeSet<>();
    wanted.keySet().forEach(place -> woken.add(place.partition()));
    woken.addAll(fetches.keySet());
    woken.removeIf(isKept::test);
    wanted.keySet().removeIf(place -> woken.contains(place.partition()));
    Set<Integer> ended = new HashSet<>(fetches.keySet());
    ended.retainAll(woken);
    fetches.keySet().removeAll(ended);
    List<HistoryPage> gone = new ArrayList<>();
    pages.forEach(
        (partition, held) -> {
          if (!isKept.test(partition)) {
            held.values().forEach(each -> gone.add(each.page()));
          }
        });
    gone.forEach(this::remove);
    return next(ended, woken);
  }

  /** Bytes of the pages. */
  long bytes() {
    return bytes;
  }

  /** Places that are fetched, or wait for it. */
  int waiting() {
    return wanted.size() + fetches.size();
  }

  private int count() {
    return pages.values().stream().mapToInt(Map::size).sum();
  }
}
