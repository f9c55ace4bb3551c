package io.tunnel.sdk;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.read.Feeds;
import io.tunnel.sdk.read.Received;
import io.tunnel.sdk.read.WatchEvents;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.sdk.watch.WatchEvent;
import io.tunnel.sdk.watch.WatchPosition;
import io.tunnel.wire.KeyTerms;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Follows chosen keys of a table, or all keys with a prefix; {@link TableClient#watch} opens it.
 * The server looks at each change once for all watches, so a change costs what it matches, and not
 * how many watches there are.
 *
 * <p>The watch returns each change of its keys once, and changes of one partition in their order;
 * changes of one key are always of one partition. After the loss of a connection it goes on without
 * a gap. It fails loudly when that is impossible, because the table keeps the changes no more.
 *
 * <p>One thread may call {@link #poll}; any thread may call the other methods.
 */
public final class Watch implements AutoCloseable {

  private final TableInfo table;
  private final Feeds feeds;
  private final Runnable whenClosed;
  private final WatchEvents core = new WatchEvents();

  /** What {@link #poll} returned last; it is processed when the next call comes. */
  private Optional<PartitionRecords> taken = Optional.empty();

  private Watch(TableInfo table, Feeds feeds, Runnable whenClosed) {
    this.table = table;
    this.feeds = feeds;
    this.whenClosed = whenClosed;
  }

  /**
   * Follows the partitions of {@code table} that may have matching keys.
   *
   * @param terms the keys, as {@code feeds} asks for them
   * @param now the present positions, asked for only when the watch begins now
   */
  static Watch begin(
      TableInfo table,
      Feeds feeds,
      KeyTerms terms,
      WatchConfig config,
      Supplier<TablePositions> now,
      Runnable whenClosed) {
    Watch watch = new Watch(table, feeds, whenClosed);
    feeds.learn(table);
    List<Integer> partitions =
        table.partitions().stream()
            .filter(each -> terms.mayMatchBetween(bound(each.from()), bound(each.to())))
            .map(PartitionInfo::id)
            .toList();
    if (config.hasRows()) {
      partitions.forEach(watch::beginWithRows);
    } else {
      WatchPosition behind = config.position().orElseGet(() -> place(now.get()));
      for (int partition : partitions) {
        WatchPosition.Place place = behind.places().get(partition);
        if (place == null) {
          throw new IllegalArgumentException(
              "the position "
                  + behind
                  + " is not of these keys of table '"
                  + table.meta().name()
                  + "': it lacks partition "
                  + partition);
        }
        watch.beginBehind(partition, place);
      }
    }
    return watch;
  }

  /**
   * The ids of partitions are never used again, so those of a dropped table are of no table.
   *
   * @throws RefusedException TABLE_NOT_FOUND
   */
  static void requireOfTable(WatchPosition behind, TableInfo table) {
    if (table.partitions().stream().noneMatch(each -> behind.places().containsKey(each.id()))) {
      throw new RefusedException(
          ErrorCode.TABLE_NOT_FOUND,
          "the position "
              + behind
              + " is not of the present table '"
              + table.meta().name()
              + "', but of a table that was dropped or has another name; forget all rows, and"
              + " begin with the present rows");
    }
  }

  private static Bytes bound(Optional<PrimaryKeyValue> value) {
    return value.map(KeyCodec::encode).orElse(Bytes.EMPTY);
  }

  private static WatchPosition place(TablePositions now) {
    Map<Integer, WatchPosition.Place> places = new TreeMap<>();
    for (PartitionPositions each : now.partitions()) {
      places.put(each.partition(), new WatchPosition.Place(each.latest(), each.incarnation()));
    }
    return new WatchPosition(places);
  }

  private void beginWithRows(int partition) {
    core.beginWithRows(partition);
    feeds.start(ReadStart.rows(partition));
  }

  private void beginBehind(int partition, WatchPosition.Place place) {
    core.beginBehind(partition, place);
    start(
        partition,
        place.position(),
        place.incarnation().map(in -> new KnownPosition(place.position(), in)));
  }

  private void start(int partition, long position, Optional<KnownPosition> known) {
    ReadStart start = ReadStart.changes(partition, position);
    feeds.start(known.map(start::knowing).orElse(start));
  }

  /**
   * The next rows or changes, all of one partition; with the call the watch may receive more in
   * their place. Empty after {@code wait}, as soon as the present rows are complete ({@link
   * #hasAllRows}), and after a {@link #wakeUp} during or before this call.
   *
   * @throws RefusedException when the service refuses to continue; each later call throws the
   *     refusal too. After {@code HISTORY_LOST} the table no longer keeps changes that the watch
   *     has not seen; after {@code POSITION_REPLACED} the service has lost changes that the watch
   *     has seen. For both, open a watch with {@link WatchConfig#withRows}, build a new copy from
   *     its rows and changes, and replace the old copy by the new copy when {@link #hasAllRows}: a
   *     row of the old copy that is not among the present rows was deleted, and no DELETE comes for
   *     the row. {@code TABLE_NOT_FOUND}: the table was dropped, so all its rows are gone. {@code
   *     LIMIT_REACHED}: the client watches 4,096 partitions of one server, once for each watch;
   *     close watches, or open another client. {@code NOT_PERMITTED}; {@code FEATURE_NOT_ENABLED}
   *     and {@code UNKNOWN_OPERATION} of a service that has no watches
   * @throws ConnectionException when the service could not be reached for too long, or the watch is
   *     closed
   */
  public List<WatchEvent> poll(Duration wait) throws InterruptedException {
    EventLoops.requireMayBlock("poll");
    releaseTaken();
    long waitNanos = Ticker.bounded(wait).toNanos();
    long begunNanos = feeds.nowNanos();
    while (true) {
      long leftNanos = waitNanos - (feeds.nowNanos() - begunNanos);
      Optional<Received> next = feeds.inbox().take(Math.max(0, leftNanos));
      if (next.isEmpty()) {
        return List.of();
      }
      boolean hadAllRows = hasAllRows();
      List<WatchEvent> events = take(next.get());
      if (!events.isEmpty() || hadAllRows != hasAllRows()) {
        return events;
      }
      releaseTaken();
    }
  }

  private void releaseTaken() {
    taken.ifPresent(PartitionRecords::release);
    taken = Optional.empty();
  }

  private List<WatchEvent> take(Received received) {
    int partition = received.start().partition();
    PartitionRecords records =
        PartitionRecords.of(received, table.meta().primaryKey(), () -> feeds.release(received));
    synchronized (core) {
      if (received.settled().isPresent()) {
        core.mark(partition, received.settled().get(), received.incarnation());
        return List.of();
      }
      if (records.isEnd()) {
        WatchEvents.Behind behind =
            core.endOfRows(partition, rowsAt(records), records.incarnation());
        start(partition, behind.position(), behind.known());
        return List.of();
      }
      taken = Optional.of(records);
      return switch (received.start().type()) {
        case BaseData -> core.rows(partition, records.records(), rowsAt(records));
        case Stream -> core.changes(partition, records.records(), records.incarnation());
      };
    }
  }

  private static long rowsAt(PartitionRecords rows) {
    return rows.rowsAt()
        .orElseThrow(() -> new IllegalStateException("rows of a watch without their position"));
  }

  /**
   * Whether {@link #poll} has returned all rows that were there at the beginning, if the watch
   * begins with rows. From then on, a copy that was built from the rows and changes of this watch
   * has every matching row, and a matching row that an older copy has in addition was deleted
   * ({@link io.tunnel.sdk.watch.WatchedKeys#matches} finds such rows of a store with other rows).
   * Rows of different partitions, and pages of one partition that is read for longer than 10 s, are
   * of different moments; the changes make up for it.
   */
  public boolean hasAllRows() {
    synchronized (core) {
      return core.hasAllRows();
    }
  }

  /**
   * How far the watch has come: a later watch of the same keys goes on there ({@link
   * WatchConfig#behind}) without a gap, and without a change that this watch has returned. What
   * {@link #poll} returned last counts. Moves on also without matching changes, about every ten
   * seconds, as long as {@link #poll} is called. Empty before {@link #hasAllRows}, and for some
   * time after it.
   */
  public Optional<WatchPosition> position() {
    synchronized (core) {
      return core.position();
    }
  }

  /** Ends the wait of the current or the next {@link #poll}. */
  public void wakeUp() {
    feeds.inbox().wakeUp();
  }

  /** Ends the watch; waiting calls fail with a {@link ConnectionException}. Idempotent. */
  @Override
  public void close() {
    feeds.close();
    whenClosed.run();
  }
}
