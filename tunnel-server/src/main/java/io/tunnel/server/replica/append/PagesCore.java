package io.tunnel.server.replica.append;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/**
 * Which pages of old changes a node holds for channels that are older than the local log, and which
 * pages are fetched next. Channels at different positions of a partition have separate pages. The
 * pages of a partition are fetched one by one, in the order of the requests, so no request starves.
 * The least recently used pages are evicted first.
 *
 * <p>Memory: pages of {@code bytesMax} bytes, or one larger page, and one page for each fetch.
 */
final class PagesCore {

  /** Positions that may wait for a fetch; beyond, the channel of the oldest has to ask again. */
  static final int WANTED_MAX = 4_096;

  /** Ends of pages that are remembered; the oldest is forgotten, and searched in the log then. */
  static final int ENDS_MAX = 4_096;

  private final long bytesMax;
  private final int fetchesMax;
  private final Map<Integer, NavigableMap<Long, Held>> pages = new HashMap<>();
  private final Map<Integer, Fetch> fetches = new TreeMap<>();

  /** By partition, the lane of the replica that all pages, ends, fetches and waits belong to. */
  private final Map<Integer, Long> lanes = new HashMap<>();

  /** Positions that wait for a fetch, with the limits of the fetches. */
  private final Map<Place, Long> wanted = new LinkedHashMap<>();

  /** Offsets of the records after pages, by the next position; also of pages that were evicted. */
  private final Map<Place, Long> ends = new LinkedHashMap<>();

  /** Of all pages; at most {@code bytesMax}, or of one page, after each call. */
  private long bytes;

  private long ticks;

  private record Place(int partition, long position) {}

  /** A page, and when a channel has read the page last. */
  private record Held(OldPage page, long tick) {}

  /**
   * A page that is read.
   *
   * @param number differs between two fetches
   * @param lane of the replica whose log is read
   * @param position of the first change
   * @param limit the local log has the changes from this position on
   * @param offset of the record of the first change, if the offset is known
   */
  record Fetch(
      int partition, long number, long lane, long position, long limit, OptionalLong offset) {}

  /**
   * What the shell has to do.
   *
   * @param ended partitions to read no more
   * @param begun fetches to begin
   * @param woken partitions whose channels have to look again
   */
  record Work(Set<Integer> ended, List<Fetch> begun, Set<Integer> woken) {
    static final Work NONE = new Work(Set.of(), List.of(), Set.of());
  }

  /**
   * Nothing is held.
   *
   * @param bytesMax of pages; a single page may have more
   * @param fetchesMax partitions that the node reads at one time
   */
  PagesCore(long bytesMax, int fetchesMax) {
    this.bytesMax = bytesMax;
    this.fetchesMax = fetchesMax;
  }

  /** The page that holds a position. */
  Optional<OldPage> find(int partition, long position) {
    NavigableMap<Long, Held> held = pages.getOrDefault(partition, new TreeMap<>());
    Map.Entry<Long, Held> found = held.floorEntry(position);
    if (found == null || found.getValue().page().next() <= position) {
      return Optional.empty();
    }
    OldPage page = found.getValue().page();
    held.put(page.from(), new Held(page, ++ticks));
    return Optional.of(page);
  }

  /**
   * Forgets all of a partition that belongs to a former replica; its channels have to look again.
   */
  Work of(int partition, long lane) {
    if (Long.valueOf(lane).equals(lanes.get(partition))) {
      return Work.NONE;
    }
    Work forgotten = keep(each -> each != partition);
    lanes.put(partition, lane);
    return forgotten;
  }

  /** A channel waits for a page that begins there, and ends in front of {@code limit}. */
  Work want(int partition, long position, long limit) {
    Fetch underWay = fetches.get(partition);
    if (underWay != null && underWay.position() == position) {
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
    OptionalLong offset = Stream.ofNullable(ends.get(place)).mapToLong(each -> each).findFirst();
    int partition = place.partition();
    long lane = lanes.getOrDefault(partition, 0L);
    return new Fetch(partition, ++ticks, lane, place.position(), limit, offset);
  }

  /** The fetch of a partition that is under way. */
  Optional<Fetch> fetching(int partition) {
    return Optional.ofNullable(fetches.get(partition));
  }

  /** Ends a fetch; does nothing if the fetch is no longer in flight. */
  Work fetched(Fetch fetch, OldPage page) {
    if (!fetches.remove(fetch.partition(), fetch)) {
      return Work.NONE;
    }
    Held former =
        pages
            .computeIfAbsent(fetch.partition(), key -> new TreeMap<>())
            .put(page.from(), new Held(page, ++ticks));
    bytes += page.bytes() - (former == null ? 0 : former.page().bytes());
    if (page.refusal().isEmpty()) {
      note(new Place(page.partition(), page.next()), page.nextOffset());
    }
    while (bytes > bytesMax && count() > 1) {
      evictOldest();
    }
    return next(Set.of(fetch.partition()), Set.of(fetch.partition()));
  }

  private void note(Place end, long offset) {
    ends.remove(end);
    ends.put(end, offset);
    if (ends.size() > ENDS_MAX) {
      ends.remove(ends.keySet().iterator().next());
    }
  }

  /** Nothing comes of a fetch; the readers that wait for it have to look again. */
  Work abandoned(Fetch fetch) {
    return fetches.remove(fetch.partition(), fetch)
        ? next(Set.of(fetch.partition()), Set.of(fetch.partition()))
        : Work.NONE;
  }

  private void evictOldest() {
    Held oldest = null;
    for (NavigableMap<Long, Held> held : pages.values()) {
      for (Held each : held.values()) {
        oldest = oldest == null || each.tick() < oldest.tick() ? each : oldest;
      }
    }
    remove(oldest.page());
  }

  private void remove(OldPage page) {
    NavigableMap<Long, Held> held = pages.get(page.partition());
    held.remove(page.from());
    if (held.isEmpty()) {
      pages.remove(page.partition());
    }
    bytes -= page.bytes();
  }

  /** Forgets all other partitions; channels that wait for one of them have to look again. */
  Work keep(IntPredicate isKept) {
    Set<Integer> woken = new TreeSet<>();
    wanted.keySet().forEach(place -> woken.add(place.partition()));
    woken.addAll(fetches.keySet());
    woken.removeIf(isKept::test);
    wanted.keySet().removeIf(place -> woken.contains(place.partition()));
    Set<Integer> ended = new HashSet<>(fetches.keySet());
    ended.retainAll(woken);
    fetches.keySet().removeAll(ended);
    lanes.keySet().removeIf(partition -> !isKept.test(partition));
    ends.keySet().removeIf(place -> !isKept.test(place.partition()));
    List<OldPage> gone = new ArrayList<>();
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

  /** Fetches under way, and positions that wait for a fetch. */
  int waiting() {
    return wanted.size() + fetches.size();
  }

  private int count() {
    return pages.values().stream().mapToInt(Map::size).sum();
  }
}
