package io.tunnel.sdk.read;

import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.watch.WatchEvent;
import io.tunnel.sdk.watch.WatchPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a watch has seen of its partitions, and which records are events of it: rows first, if it
 * asked for rows, then each change that the rows do not include.
 */
public final class WatchEvents {

  private final Map<Integer, Followed> partitions = new TreeMap<>();

  private static final class Followed {
    private Optional<RowsCore> rows;
    private boolean hasRows;
    private long position;
    private Optional<Long> incarnation;

    /** Everything up to {@code position} was seen, in {@code incarnation}. */
    Followed(boolean hasRows, long position, Optional<Long> incarnation) {
      this.rows = hasRows ? Optional.of(new RowsCore()) : Optional.empty();
      this.hasRows = !hasRows;
      this.position = position;
      this.incarnation = incarnation;
    }
  }

  /** Without partitions. */
  public WatchEvents() {}

  /** Follows a partition from its rows on. */
  public void beginWithRows(int partition) {
    partitions.put(partition, new Followed(true, 0, Optional.empty()));
  }

  /** Follows a partition behind a place. */
  public void beginBehind(int partition, WatchPosition.Place place) {
    partitions.put(partition, new Followed(false, place.position(), place.incarnation()));
  }

  /** Takes rows of a partition that are those at {@code at}. */
  public List<WatchEvent> rows(int partition, List<StreamRecord> rows, long at) {
    RowsCore core = partitions.get(partition).rows.orElseThrow();
    core.page(rows.get(rows.size() - 1).encodedKey(), at);
    return rows.stream().map(row -> new WatchEvent(WatchEvent.Type.ROW, row)).toList();
  }

  /**
   * Takes the end of the rows of a partition.
   *
   * @return the position behind which changes are to be read, and the last that the rows include
   */
  public Behind endOfRows(int partition, long at, Optional<Long> incarnation) {
    Followed followed = partitions.get(partition);
    RowsCore core = followed.rows.orElseThrow();
    core.end(at);
    followed.hasRows = true;
    followed.position = core.first();
    followed.incarnation = incarnation;
    return new Behind(core.first(), incarnation.map(in -> new KnownPosition(core.last(), in)));
  }

  /**
   * From where changes are read.
   *
   * @param known the last position that the rows include, if its incarnation is known
   */
  public record Behind(long position, Optional<KnownPosition> known) {}

  /** Takes changes of a partition, at least one. */
  public List<WatchEvent> changes(
      int partition, List<StreamRecord> changes, Optional<Long> incarnation) {
    Followed followed = partitions.get(partition);
    List<WatchEvent> events = new ArrayList<>();
    for (StreamRecord change : changes) {
      if (followed.rows.isEmpty() || !isIncluded(followed.rows.get(), change)) {
        events.add(new WatchEvent(WatchEvent.Type.CHANGE, change));
      }
    }
    seen(followed, changes.get(changes.size() - 1).position(), incarnation);
    return events;
  }

  private static boolean isIncluded(RowsCore rows, StreamRecord change) {
    Bytes key = change.position() <= rows.last() ? change.encodedKey() : Bytes.EMPTY;
    return rows.includes(key, change.position());
  }

  /** There is no further change up to {@code position}. */
  public void mark(int partition, long position, Optional<Long> incarnation) {
    seen(partitions.get(partition), position, incarnation);
  }

  private static void seen(Followed followed, long position, Optional<Long> incarnation) {
    followed.position = Math.max(followed.position, position);
    followed.incarnation = incarnation;
    if (followed.rows.filter(rows -> rows.last() <= position).isPresent()) {
      followed.rows = Optional.empty();
    }
  }

  /** Whether all present rows were taken, if the watch begins with rows. */
  public boolean hasAllRows() {
    return partitions.values().stream().allMatch(followed -> followed.hasRows);
  }

  /**
   * How far the partitions were seen; empty while a later watch could not go on there without
   * changes that rows of this one include.
   */
  public Optional<WatchPosition> position() {
    Map<Integer, WatchPosition.Place> places = new TreeMap<>();
    for (Map.Entry<Integer, Followed> each : partitions.entrySet()) {
      Followed followed = each.getValue();
      boolean isBetween =
          followed.rows.isPresent() && followed.rows.get().last() > followed.position;
      if (!followed.hasRows || isBetween) {
        return Optional.empty();
      }
      places.put(each.getKey(), new WatchPosition.Place(followed.position, followed.incarnation));
    }
    return Optional.of(new WatchPosition(places));
  }
}
