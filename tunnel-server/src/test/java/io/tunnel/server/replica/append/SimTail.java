package io.tunnel.server.replica.append;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A tail of {@link SimAppendLogs}, on the test's thread. What was read waits to be told, so events
 * of an earlier visit are told after the next one was asked for.
 */
final class SimTail implements AppendTail {

  private final SimAppendLogs logs;
  private final Map<Integer, Followed> followed = new TreeMap<>();
  private final Deque<Event> untold = new ArrayDeque<>();
  private final Map<Integer, Integer> given = new HashMap<>();
  private long visits;
  private boolean areAllPaused;

  private static final class Followed {
    int next;

    /** Of the record before {@link #next}. */
    int placeEpoch;

    int leaderEpoch;
    boolean isPaused;
  }

  SimTail(SimAppendLogs logs) {
    this.logs = logs;
  }

  @Override
  public long follow(int partition, long offset, int leaderEpoch) {
    Followed one = new Followed();
    one.next = (int) offset;
    one.placeEpoch = leaderEpoch;
    one.leaderEpoch = leaderEpoch;
    Followed before = followed.put(partition, one);
    if (before != null) {
      one.leaderEpoch = Math.max(one.leaderEpoch, before.leaderEpoch);
    }
    untold.add(new Begun(partition, ++visits));
    return visits;
  }

  @Override
  public void unfollow(int partition) {
    followed.remove(partition);
  }

  @Override
  public void pause(int partition) {
    Optional.ofNullable(followed.get(partition)).ifPresent(one -> one.isPaused = true);
  }

  @Override
  public void resume(int partition) {
    Optional.ofNullable(followed.get(partition)).ifPresent(one -> one.isPaused = false);
  }

  @Override
  public void pause() {
    areAllPaused = true;
  }

  @Override
  public void resume() {
    areAllPaused = false;
  }

  @Override
  public Map<Integer, CompletableFuture<End>> ends(Collection<Integer> partitions) {
    Map<Integer, CompletableFuture<End>> ends = new HashMap<>();
    for (int partition : partitions) {
      int epoch = logs.log(partition).leaderEpoch;
      Optional.ofNullable(followed.get(partition)).ifPresent(one -> led(partition, one, epoch));
      ends.put(partition, CompletableFuture.completedFuture(new End(logs.size(partition), epoch)));
    }
    return ends;
  }

  private void led(int partition, Followed one, int epoch) {
    if (epoch > one.leaderEpoch) {
      boolean isChange = one.leaderEpoch != NO_EPOCH;
      one.leaderEpoch = epoch;
      if (isChange) {
        untold.add(new LeaderChanged(partition, epoch));
      }
    }
  }

  /** The partitions that are read. */
  Set<Integer> followed() {
    return Set.copyOf(followed.keySet());
  }

  /** Reads at most so many records of a partition. */
  void read(int partition, int recordsMax) {
    Followed one = followed.get(partition);
    if (one == null || one.isPaused || areAllPaused) {
      return;
    }
    SimAppendLogs.Log log = logs.log(partition);
    if (one.next < log.first) {
      followed.remove(partition);
      untold.add(new Trimmed(partition, one.next, log.first));
    } else if (one.next > log.records.size()
        || (one.placeEpoch != NO_EPOCH && one.next > log.end(one.placeEpoch))) {
      followed.remove(partition);
      untold.add(new Cut(partition, one.next, 0));
    } else {
      readOf(partition, one, log, recordsMax);
    }
  }

  private void readOf(int partition, Followed one, SimAppendLogs.Log log, int recordsMax) {
    int from = one.next;
    List<Stored> records = new ArrayList<>();
    while (records.size() < recordsMax && one.next < log.records.size()) {
      SimAppendLogs.Landed record = log.records.get(one.next);
      if (record.leaderEpoch > one.leaderEpoch && !records.isEmpty()) {
        break;
      }
      led(partition, one, record.leaderEpoch);
      records.add(
          new Stored(one.next, record.leaderEpoch, record.timeMs, record.header, record.value));
      one.placeEpoch = record.leaderEpoch;
      one.next++;
    }
    if (one.next > from) {
      given.merge(partition, records.size(), Integer::sum);
      untold.add(new Read(partition, from, records, one.next, records.size()));
    }
  }

  /** The oldest event that was not told. */
  Optional<Event> next() {
    return Optional.ofNullable(untold.poll());
  }

  /** How many events wait to be told. */
  int waiting() {
    return untold.size();
  }

  /** How many records of a partition were read, also those that were read again. */
  int given(int partition) {
    return given.getOrDefault(partition, 0);
  }

  @Override
  public void close() {}
}
