package io.tunnel.it.sim.cluster.append;

import io.tunnel.it.sim.cluster.group.Reach;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.server.replica.append.AppendTail;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/** A reader of the log of appends: fetches one chunk at a time, with a delay. */
final class SimAppendsTail implements AppendTail {

  private static final long RETRY_NANOS = 200_000_000;
  private static final int RECORDS_MAX = 5;

  private final SimAppends log;
  private final Reach reach;
  private final BooleanSupplier isReached;
  private final Asks asks;
  private final SimThread thread;
  private final TreeMap<Integer, Followed> followed = new TreeMap<>();
  private final Runnable wake = this::fetchLater;
  private Listener listener = event -> {};
  private long visits;
  private boolean isFetching;
  private boolean isPaused;
  private boolean isClosed;

  /** Asks the log about partitions. */
  @FunctionalInterface
  interface Asks {
    Map<Integer, CompletableFuture<End>> ask(
        Collection<Integer> partitions, IntFunction<End> question);
  }

  private static final class Followed {
    long next;

    /** Of the record before {@link #next}. */
    int placeEpoch;

    int leaderEpoch;
    boolean isPaused;
  }

  SimAppendsTail(
      SimAppends log, Reach reach, BooleanSupplier isReached, Asks asks, SimThread thread) {
    this.log = log;
    this.reach = reach;
    this.isReached = isReached;
    this.asks = asks;
    this.thread = thread;
    log.listen(wake);
  }

  /** All events go there. */
  void tell(Listener told) {
    listener = told;
  }

  private void tell(Event event) {
    thread.execute(
        () -> {
          if (!isClosed) {
            listener.happened(event);
          }
        });
  }

  private void fetchLater() {
    if (!isFetching && !isPaused && !isClosed && hasMore()) {
      isFetching = true;
      reach.agenda.after(reach.nanos(), this::fetch);
    }
  }

  private boolean hasMore() {
    return followed.entrySet().stream()
        .anyMatch(each -> !each.getValue().isPaused && hasEvent(each.getKey(), each.getValue()));
  }

  private boolean hasEvent(int partition, Followed one) {
    SimAppends.Log of = log.log(partition);
    return one.next != of.end() || one.next < of.first || isCut(of, one);
  }

  private static boolean isCut(SimAppends.Log of, Followed one) {
    return one.next > of.end() || (one.placeEpoch != NO_EPOCH && one.next > of.end(one.placeEpoch));
  }

  private void fetch() {
    if (isClosed) {
      return;
    }
    if (!isReached.getAsBoolean()) {
      reach.agenda.after(RETRY_NANOS, this::fetch);
      return;
    }
    for (int partition : List.copyOf(followed.keySet())) {
      Followed one = followed.get(partition);
      if (!one.isPaused && !isPaused) {
        read(partition, one);
      }
    }
    // What was read is told when the process runs; only then is more asked for.
    thread.execute(
        () -> {
          isFetching = false;
          fetchLater();
        });
  }

  private void read(int partition, Followed one) {
    SimAppends.Log of = log.log(partition);
    if (one.next < of.first) {
      followed.remove(partition);
      tell(new Trimmed(partition, one.next, of.first));
    } else if (isCut(of, one)) {
      followed.remove(partition);
      tell(new Cut(partition, one.next, 0));
    } else {
      readOf(partition, one, of);
    }
  }

  private void readOf(int partition, Followed one, SimAppends.Log of) {
    long from = one.next;
    int recordsMax = 1 + reach.random.nextInt(RECORDS_MAX);
    long bytes = 0;
    List<Stored> records = new ArrayList<>();
    while (records.size() < recordsMax && one.next < of.end()) {
      Stored record = of.records.get((int) one.next);
      if (record.leaderEpoch() > one.leaderEpoch && !records.isEmpty()) {
        break;
      }
      led(partition, one, record.leaderEpoch());
      records.add(record);
      bytes += record.value().length;
      one.placeEpoch = record.leaderEpoch();
      one.next++;
    }
    if (one.next > from) {
      tell(new Read(partition, from, records, one.next, bytes));
    }
  }

  private void led(int partition, Followed one, int epoch) {
    if (epoch > one.leaderEpoch) {
      boolean isChange = one.leaderEpoch != NO_EPOCH;
      one.leaderEpoch = epoch;
      if (isChange) {
        tell(new LeaderChanged(partition, epoch));
      }
    }
  }

  @Override
  public long follow(int partition, long offset, int leaderEpoch) {
    Followed one = new Followed();
    one.next = offset;
    one.placeEpoch = leaderEpoch;
    one.leaderEpoch = leaderEpoch;
    Followed before = followed.put(partition, one);
    if (before != null) {
      one.leaderEpoch = Math.max(one.leaderEpoch, before.leaderEpoch);
    }
    tell(new Begun(partition, ++visits));
    fetchLater();
    return visits;
  }

  @Override
  public void unfollow(int partition) {
    followed.remove(partition);
  }

  @Override
  public void pause(int partition) {
    Followed one = followed.get(partition);
    if (one != null) {
      one.isPaused = true;
    }
  }

  @Override
  public void resume(int partition) {
    Followed one = followed.get(partition);
    if (one != null) {
      one.isPaused = false;
      fetchLater();
    }
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
  public Map<Integer, CompletableFuture<End>> ends(Collection<Integer> partitions) {
    Map<Integer, CompletableFuture<End>> answers =
        asks.ask(
            partitions,
            id -> {
              SimAppends.Log of = log.log(id);
              return new End(of.end(), of.leaderEpoch);
            });
    Map<Integer, CompletableFuture<End>> told = new TreeMap<>();
    answers.forEach(
        (id, answer) ->
            told.put(
                id,
                answer.thenApply(
                    end -> {
                      Followed one = followed.get(id);
                      if (one != null && !isClosed) {
                        ledNow(id, one, end.leaderEpoch());
                      }
                      return end;
                    })));
    return told;
  }

  /** On the tail's thread. */
  private void ledNow(int partition, Followed one, int epoch) {
    if (epoch > one.leaderEpoch) {
      boolean isChange = one.leaderEpoch != NO_EPOCH;
      one.leaderEpoch = epoch;
      if (isChange) {
        listener.happened(new LeaderChanged(partition, epoch));
      }
    }
  }

  @Override
  public void close() {
    isClosed = true;
    log.forget(wake);
  }
}
