package io.tunnel.server.replica.append;

import io.tunnel.codec.MalformedException;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Predicate;

/**
 * Finds the snapshots of one partition that a replica may begin with. The header of the log's last
 * record names the newest snapshot that its leader knew, and each snapshot knows the one before.
 * Where no record is at the named offset any more, the search reads the log from its start: a trim
 * keeps the records of the two newest verified snapshots.
 *
 * <p>A snapshot whose record does not count is right as long as the log never lost its end: its
 * leader had folded exactly the changes before the scan, all of which count. The search passes over
 * records of leaders that a later marker has replaced. For one thread, which waits for the log.
 */
final class SnapshotSearch implements AutoCloseable {

  /** Snapshots that are tried at most. */
  static final int SNAPSHOTS_MAX = 8;

  /** Events that wait here before the tail pauses. */
  private static final int EVENTS_MAX = 4;

  private final ReadableAppendLog log;
  private final int partition;
  private final Waits waits;
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
    this.log = log;
    this.partition = partition;
    this.waits = waits;
    this.tail = log.tail(events::add);
  }

  /**
   * Searches.
   *
   * @throws IOException when the log cannot be read now, or was cut or trimmed meanwhile
   */
  Found find() throws IOException {
    long start = start();
    long end = end();
    boolean hasAll = start == 0 && isFromFirst(end);
    List<Snapshot> found = end > start ? named(start, end) : new ArrayList<>();
    // The last record is a marker whose leader had not read the snapshot's record, for example.
    if (found.isEmpty() && !hasAll) {
      found = scanned(start, end);
    }
    found.removeIf(each -> each.at().next() < start);
    List<Snapshot> newest = found.subList(0, Math.min(SNAPSHOTS_MAX, found.size()));
    return new Found(start, hasAll, List.copyOf(newest));
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

  private List<Snapshot> named(long start, long end) throws IOException {
    List<Snapshot> found = new ArrayList<>();
    Optional<Stored> last = at(end - 1, end);
    long named = last.map(each -> each.header().snapshot()).orElse(AppendHeader.NO_SNAPSHOT);
    if (last.isPresent() && snapshot(last.get()).isPresent()) {
      named = end - 1;
    }
    while (named >= start && found.size() < SNAPSHOTS_MAX) {
      Optional<Snapshot> snapshot = at(named, end).flatMap(SnapshotSearch::snapshot);
      if (snapshot.isEmpty()) {
        return found;
      }
      found.add(snapshot.get());
      named = Math.min(named - 1, snapshot.get().at().snapshot());
    }
    return found;
  }

  private List<Snapshot> scanned(long start, long end) throws IOException {
    List<Snapshot> found = new ArrayList<>();
    long[] marker = {-1};
    read(
        start,
        end,
        record -> {
          if (record.header().kind() == Kind.MARKER) {
            marker[0] = record.offset();
          } else if (marker[0] < 0 || record.header().epoch() == marker[0]) {
            snapshot(record).ifPresent(snapshot -> found.add(0, snapshot));
          }
          return true;
        });
    return found;
  }

  private static Optional<Snapshot> snapshot(Stored record) {
    try {
      return record.header().kind() == Kind.SNAPSHOT
              && AppendValue.decode(Kind.SNAPSHOT, record.value()) instanceof Snapshot snapshot
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
              () -> new IOException("the log of partition " + partition + " gave nothing in time"));
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
