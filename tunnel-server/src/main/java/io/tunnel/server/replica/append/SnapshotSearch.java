package io.tunnel.server.replica.append;

import io.tunnel.codec.MalformedException;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Predicate;

/**
 * Finds the snapshots of one partition that a replica may begin with. The header of each record
 * names the newest snapshot that its leader knew, and each snapshot knows the one before. So the
 * last record names the snapshots, unless its leader had not read the newest records. Where fewer
 * than two are found, the search looks back in steps that grow, over some ten thousand records at
 * most: every leader knows all snapshots before it appends anything but markers. A trim keeps the
 * records of the two newest verified snapshots, and a restore writes two.
 *
 * <p>A snapshot whose record does not count is right as long as the log never lost its end: its
 * leader had folded exactly the changes before the scan, all of which count. The search passes over
 * records of leaders that a later marker has replaced. For one thread, which waits for the log.
 */
final class SnapshotSearch implements AutoCloseable {

  /** Snapshots that are tried at most. */
  static final int SNAPSHOTS_MAX = 8;

  /**
   * A caller that has tried so many finds no more: the leader may take and delete snapshots faster
   * than the caller loads them.
   */
  static final int TRIED_MAX = 6 * SNAPSHOTS_MAX;

  /** A trim and a restore leave as many. */
  static final int SNAPSHOTS_LEFT = 2;

  /** The search looks no further back when it has read so many records at the end of the log. */
  private static final long RECORDS_MAX = 1 << 15;

  /** Each step back has so many times the records of the step before. */
  private static final int STEP_GROWTH = 8;

  /** Events that wait here before the tail pauses. */
  private static final int EVENTS_MAX = 4;

  private final ReadableAppendLog log;
  private final int partition;
  private final Waits waits;
  private final long recordsMax;
  private final BlockingQueue<AppendTail.Event> events = new LinkedBlockingQueue<>();
  private final AppendTail tail;

  /** A search by a thread of the JVM, with a limit in milliseconds for each wait. */
  SnapshotSearch(ReadableAppendLog log, int partition, long waitMsMax) {
    this(log, partition, Waits.ofThread(waitMsMax));
  }

  /**
   * What a log has.
   *
   * @param start the first offset of the log
   * @param hasAll whether the log has all that makes the partition: nothing was trimmed, and the
   *     log is not that of a restored partition, whose writers and old changes only a snapshot has
   * @param snapshots whose following records the log still has, the newest first
   */
  record Found(long start, boolean hasAll, List<Snapshot> snapshots) {}

  /**
   * A search that has read nothing.
   *
   * @param waits for the log; a silent log fails the search
   */
  SnapshotSearch(ReadableAppendLog log, int partition, Waits waits) {
    this(log, partition, waits, RECORDS_MAX);
  }

  /** A search that looks no further back when it has read {@code recordsMax} records. */
  SnapshotSearch(ReadableAppendLog log, int partition, Waits waits, long recordsMax) {
    this.log = log;
    this.partition = partition;
    this.waits = waits;
    this.recordsMax = recordsMax;
    this.tail = log.tail(events::add);
  }

  /** Searches, as {@link #find(Set)} does for a caller that has tried none. */
  Found find() throws IOException {
    return find(Set.of());
  }

  /**
   * Searches for snapshots that the caller has not tried. The last record may be of a leader that
   * had read no record of newer snapshots, and then all snapshots that the record names may be
   * deleted. A caller that could load none of them searches again, which looks further back.
   *
   * @param tried ids of snapshots which are not to be found; with {@value #TRIED_MAX} of them the
   *     search finds none
   * @throws IOException when the log cannot be read now, or was cut or trimmed meanwhile
   */
  Found find(Set<Long> tried) throws IOException {
    long start = start();
    long end = end();
    boolean hasAll = start == 0 && isFromFirst(end);
    NavigableSet<Long> names = new TreeSet<>();
    List<Snapshot> found = new ArrayList<>();
    long from = end;
    boolean isOver = false;
    for (long step = 1; from > start && !isOver; step *= STEP_GROWTH) {
      long to = from;
      from = Math.max(start, to - step);
      names.addAll(names(from, to));
      found = named(names, start, end);
      found.removeIf(snapshot -> tried.contains(snapshot.id()));
      isOver = hasAll || found.size() >= SNAPSHOTS_LEFT || end - from >= recordsMax;
    }
    return new Found(start, hasAll, tried.size() < TRIED_MAX ? List.copyOf(found) : List.of());
  }

  /** The offset of the first record that the log has now. */
  long start() throws IOException {
    return answer(log.starts(List.of(partition)).get(partition));
  }

  /** The offset after all records that the log has now. */
  long end() throws IOException {
    return answer(tail.ends(List.of(partition)).get(partition)).offset();
  }

  /** Whether the log is not that of a restored partition, which has a BEGIN before all changes. */
  private boolean isFromFirst(long end) throws IOException {
    boolean[] isRestored = {false};
    read(
        0,
        end,
        record -> {
          Kind kind = record.header().kind();
          isRestored[0] |= kind == Kind.BEGIN;
          return kind == Kind.MARKER;
        });
    return !isRestored[0];
  }

  /**
   * The snapshots of the records at these offsets, in the order of the offsets, without those that
   * the log has not any more.
   *
   * @throws IOException as {@link #find}
   */
  List<Snapshot> at(List<Long> offsets) throws IOException {
    long start = start();
    long end = end();
    List<Snapshot> found = new ArrayList<>();
    for (long offset : offsets) {
      if (offset >= start && offset < end) {
        at(offset, end).flatMap(SnapshotSearch::snapshot).ifPresent(found::add);
      }
    }
    return found;
  }

  /**
   * The snapshots at these offsets and before, the newest first. A snapshot counts only while the
   * log has the records after the snapshot.
   */
  private List<Snapshot> named(NavigableSet<Long> names, long start, long end) throws IOException {
    NavigableSet<Long> left = new TreeSet<>(names);
    List<Snapshot> found = new ArrayList<>();
    while (!left.isEmpty() && left.last() >= start && found.size() < SNAPSHOTS_MAX) {
      long offset = left.pollLast();
      Optional<Stored> record = at(offset, end);
      record.map(SnapshotSearch::before).filter(before -> before < offset).ifPresent(left::add);
      record
          .flatMap(SnapshotSearch::snapshot)
          .filter(each -> each.at().next() >= start)
          .ifPresent(found::add);
    }
    return found;
  }

  /** The offset of the snapshot before the snapshot of a record, as far as the record tells. */
  private static long before(Stored record) {
    return snapshot(record)
        .map(found -> found.at().snapshot())
        .orElseGet(() -> record.header().snapshot());
  }

  /** The offsets at which records have snapshots, and which records name. */
  private Set<Long> names(long from, long to) throws IOException {
    Set<Long> names = new HashSet<>();
    long[] marker = {-1};
    read(
        from,
        to,
        record -> {
          boolean isMarker = record.header().kind() == Kind.MARKER;
          marker[0] = isMarker ? record.offset() : marker[0];
          if (isMarker || marker[0] < 0 || record.header().epoch() == marker[0]) {
            names.add(record.header().snapshot());
            snapshot(record).ifPresent(any -> names.add(record.offset()));
          }
          return true;
        });
    return names;
  }

  /**
   * The snapshot of a record. A log that has lost its end may have a record of a snapshot that was
   * taken after the place of the record: no reader of the log knows the changes in between.
   */
  private static Optional<Snapshot> snapshot(Stored record) {
    try {
      return record.header().kind() == Kind.SNAPSHOT
              && AppendValue.decode(Kind.SNAPSHOT, record.value()) instanceof Snapshot snapshot
              && snapshot.at().next() <= record.offset()
          ? Optional.of(snapshot)
          : Optional.empty();
    } catch (MalformedException e) {
      // No leader wrote this value; another snapshot may be intact.
      return Optional.empty();
    }
  }

  private Optional<Stored> at(long offset, long end) throws IOException {
    List<Stored> found = new ArrayList<>();
    read(
        offset,
        Math.min(end, offset + 1),
        record -> {
          if (record.offset() == offset) {
            found.add(record);
          }
          return false;
        });
    return found.stream().findFirst();
  }

  /**
   * Shows the records before {@code end}, until the visitor has enough.
   *
   * @throws LogMovedException when the log was cut or trimmed meanwhile
   * @throws IOException when the log cannot be read now, or has a record of a newer build
   */
  void read(long from, long end, Predicate<Stored> visitor) throws IOException {
    long visit = tail.follow(partition, from, AppendTail.NO_EPOCH);
    boolean hasBegun = false;
    long next = from;
    while (next < end) {
      AppendTail.Event event = take();
      if (event instanceof AppendTail.Begun begun) {
        hasBegun |= begun.visit() == visit;
      } else if (hasBegun && event instanceof AppendTail.Read read) {
        for (Stored record : read.records()) {
          if (record.offset() < end && !visitor.test(record)) {
            return;
          }
        }
        next = read.next();
      } else if (hasBegun && !(event instanceof AppendTail.LeaderChanged)) {
        String message = "cannot read on in the log of partition " + partition + ": " + event;
        throw event instanceof AppendTail.HeldBack
            ? new IOException(message)
            : new LogMovedException(message);
      }
    }
  }

  private AppendTail.Event take() throws IOException {
    try {
      if (events.size() > EVENTS_MAX) {
        tail.pause();
      } else {
        tail.resume();
      }
      return waits
          .next(events)
          .orElseThrow(
              () ->
                  new LogSilentException(
                      "the log of partition " + partition + " gave nothing in time"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while searching for snapshots", e);
    }
  }

  private <T> T answer(CompletableFuture<T> asked) throws IOException {
    try {
      return waits.answer(asked);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while asking the shared log", e);
    } catch (ExecutionException e) {
      throw new IOException("cannot ask the shared log: " + e.getCause().getMessage(), e);
    }
  }

  @Override
  public void close() throws IOException {
    tail.close();
  }
}
