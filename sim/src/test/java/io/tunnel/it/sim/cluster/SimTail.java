package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.SimThread;
import io.tunnel.server.replica.SharedLog;
import io.tunnel.server.replica.SharedLog.Stored;
import io.tunnel.server.replica.SharedLog.TailListener;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** A reader of the log: fetches one after the other, each answered some time later. */
final class SimTail implements SharedLog.Tail {

  private static final long RETRY_NANOS = 200_000_000;
  private static final int RECORDS_MAX = 12;

  private final SimLog log;
  private final Reach reach;
  private final BooleanSupplier isReached;
  private final SimThread thread;
  private final TailListener listener;
  private final TreeMap<Integer, Long> positions = new TreeMap<>();
  private final Runnable wake = this::fetchLater;
  private boolean isFetching;
  private boolean isPaused;
  private boolean isClosed;

  SimTail(
      SimLog log, Reach reach, BooleanSupplier isReached, SimThread thread, TailListener listener) {
    this.log = log;
    this.reach = reach;
    this.isReached = isReached;
    this.thread = thread;
    this.listener = listener;
    log.listen(wake);
  }

  private void fetchLater() {
    if (!isFetching && !isPaused && !isClosed && hasMore()) {
      isFetching = true;
      reach.agenda.after(reach.nanos(), this::fetch);
    }
  }

  private boolean hasMore() {
    return positions.entrySet().stream()
        .anyMatch(entry -> entry.getValue() < log.partition(entry.getKey()).end());
  }

  private void fetch() {
    if (isClosed) {
      return;
    }
    if (!isReached.getAsBoolean()) {
      reach.agenda.after(RETRY_NANOS, this::fetch);
      return;
    }
    for (int partition : List.copyOf(positions.keySet())) {
      read(partition, positions.get(partition));
    }
    // What was read is told when the process runs; only then is more asked for.
    thread.execute(
        () -> {
          isFetching = false;
          fetchLater();
        });
  }

  private void read(int partition, long from) {
    SimLog.Partition records = log.partition(partition);
    int recordsMax = 1 + reach.random.nextInt(RECORDS_MAX);
    List<Stored> found =
        records.kept.tailMap(from, true).values().stream().limit(recordsMax).toList();
    long next =
        found.size() < recordsMax ? records.end() : found.get(found.size() - 1).offset() + 1;
    if (next > from) {
      thread.execute(
          () -> {
            if (positions.getOrDefault(partition, -1L) == from) {
              positions.put(partition, next);
              listener.read(partition, from, found, next, log.nowMicros());
            }
          });
    }
  }

  @Override
  public void follow(int partition, long offset) {
    positions.put(partition, offset);
    fetchLater();
  }

  @Override
  public void unfollow(int partition) {
    positions.remove(partition);
  }

  @Override
  public void pause() {
    isPaused = true;
  }

  @Override
  public void resume() {
    isPaused = false;
    fetchLater();
  }

  @Override
  public void close() {
    isClosed = true;
    log.forget(wake);
  }
}
