package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendTail.Event;
import io.tunnel.server.replica.append.AppendTail.Stored;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A log of appends in memory. A record lands at once; a tail reports nothing before the test lets
 * it make a step, so the test delays, trims and cuts the log between any two events.
 */
final class FakeAppendLog implements ReadableAppendLog {

  private final Map<Integer, Partition> partitions = new HashMap<>();

  private static final class Partition {
    final NavigableMap<Long, Stored> records = new TreeMap<>();
    long start;
    long end;
    OptionalLong heldBack = OptionalLong.empty();
  }

  private Partition of(int partition) {
    return partitions.computeIfAbsent(partition, any -> new Partition());
  }

  @Override
  public void append(int partition, byte[] header, byte[] value, Appended appended) {
    Partition log = of(partition);
    long offset = log.end++;
    log.records.put(offset, new Stored(offset, 0, 0, AppendHeader.decode(header), value));
    appended.done(Optional.of(new Placed(offset, 0)));
  }

  @Override
  public boolean isFull() {
    return false;
  }

  /** The offset after the last record. */
  long end(int partition) {
    return of(partition).end;
  }

  /** All records. */
  Collection<Stored> records(int partition) {
    return of(partition).records.values();
  }

  /** The log deletes the records before {@code offset}. */
  void trim(int partition, long offset) {
    Partition log = of(partition);
    log.start = Math.max(log.start, offset);
    log.records.headMap(offset, false).clear();
  }

  /** The log loses the records at and after {@code offset}. */
  void cut(int partition, long offset) {
    of(partition).records.tailMap(offset, true).clear();
    of(partition).end = offset;
  }

  /** A record from which on no build of this node reads. */
  void holdBack(int partition, long offset) {
    of(partition).heldBack = OptionalLong.of(offset);
  }

  @Override
  public FakeTail tail(AppendTail.Listener listener) {
    return new FakeTail(listener);
  }

  @Override
  public Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> asked) {
    Map<Integer, CompletableFuture<Long>> starts = new HashMap<>();
    asked.forEach(id -> starts.put(id, CompletableFuture.completedFuture(of(id).start)));
    return starts;
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    trim(partition, offset);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void close() {
    // Nothing is open.
  }

  /** The tail that {@code history} or another reader has opened last. */
  FakeTail lastTail() {
    return tails.get(tails.size() - 1);
  }

  private final List<FakeTail> tails = new ArrayList<>();

  /** A tail that the test drives. */
  final class FakeTail implements AppendTail {
    private final Listener listener;
    private final Map<Integer, Long> next = new LinkedHashMap<>();

    private long visits;

    /** Bytes of all values that the tail has read. */
    long readBytes;

    FakeTail(Listener listener) {
      this.listener = listener;
      tails.add(this);
    }

    @Override
    public long follow(int partition, long offset, int leaderEpoch) {
      next.put(partition, offset);
      return ++visits;
    }

    @Override
    public void unfollow(int partition) {
      next.remove(partition);
    }

    @Override
    public void pause(int partition) {
      throw new UnsupportedOperationException("a reader of old changes pauses nothing");
    }

    @Override
    public void resume(int partition) {
      throw new UnsupportedOperationException("a reader of old changes pauses nothing");
    }

    @Override
    public void pause() {
      throw new UnsupportedOperationException("a reader of old changes pauses nothing");
    }

    @Override
    public void resume() {
      throw new UnsupportedOperationException("a reader of old changes pauses nothing");
    }

    @Override
    public Map<Integer, CompletableFuture<End>> ends(Collection<Integer> asked) {
      Map<Integer, CompletableFuture<End>> ends = new HashMap<>();
      asked.forEach(
          id -> ends.put(id, CompletableFuture.completedFuture(new End(of(id).end, NO_EPOCH))));
      return ends;
    }

    /** Reports the next event of the partition that waits longest; false when none has one. */
    boolean step(int recordsMax) {
      for (int partition : List.copyOf(next.keySet())) {
        Optional<Event> event = event(partition, recordsMax);
        if (event.isPresent()) {
          listener.happened(event.get());
          return true;
        }
      }
      return false;
    }

    private Optional<Event> event(int partition, int recordsMax) {
      Partition log = of(partition);
      long from = next.remove(partition);
      if (from < log.start) {
        return Optional.of(new Trimmed(partition, from, log.start));
      }
      if (from > log.end) {
        return Optional.of(new Cut(partition, from, log.end));
      }
      long readMax = Math.min(log.end, log.heldBack.orElse(log.end));
      if (from == log.heldBack.orElse(-1)) {
        return Optional.of(new HeldBack(partition, from, "a record of a newer build"));
      }
      List<Stored> records =
          log.records.subMap(from, true, Math.max(from, readMax), false).values().stream()
              .limit(recordsMax)
              .toList();
      long to = records.size() < recordsMax ? readMax : records.get(recordsMax - 1).offset() + 1;
      next.put(partition, Math.max(from, to));
      if (to <= from) {
        return Optional.empty();
      }
      long bytes = records.stream().mapToLong(each -> each.value().length).sum();
      readBytes += bytes;
      return Optional.of(new Read(partition, from, records, to, bytes));
    }

    /** Lets the tail read until it has nothing to read. */
    void run(int recordsMax) {
      while (step(recordsMax)) {
        // All events.
      }
    }

    @Override
    public void close() {
      next.clear();
    }
  }
}
