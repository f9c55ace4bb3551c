package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.cluster.group.Reach;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.Bounds;
import io.tunnel.server.changes.BoundsQueries;
import io.tunnel.server.replica.shared.RecordHeader;
import io.tunnel.server.replica.shared.SharedLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * The log as one start of a node reaches it. Appends land in pieces, between those of others; when
 * an answer is lost or the log out of reach, some of them land much later, when they like.
 */
final class SimLogClient implements SharedLog, BoundsQueries {

  private static final long LATE_NANOS_MAX = 6_000_000_000L;
  private static final int PIECES_MAX = 3;

  /** A header of a form that no build of today knows. */
  private static final byte[] NEWER_HEADER = {2};

  private final String node;
  private final Forms forms;
  private final SimLog log;
  private final Reach reach;
  private final SimThread thread;
  private final List<SimTail> tails = new ArrayList<>();

  /** The forms of records that the node's build knows. */
  interface Forms {

    /** The level of the form of what is appended now. */
    int written();

    /** Whether the build knows the forms of a level; notes if not. */
    boolean reads(int level);
  }

  SimLogClient(String node, Forms forms, SimLog log, Reach reach, SimThread thread) {
    this.node = node;
    this.forms = forms;
    this.log = log;
    this.reach = reach;
    this.thread = thread;
  }

  /** The process is no more. */
  void died() {
    tails.forEach(SimTail::close);
  }

  private boolean isReached() {
    return reach.isReached(node);
  }

  @Override
  public void append(int partition, List<Entry> entries, Appended appended) {
    reach.ask(
        () -> isReached() && !reach.loses(),
        () -> {
          long lastNanos = landLater(partition, entries, 0);
          reach.agenda.at(
              lastNanos + reach.nanos(),
              () -> thread.execute(() -> appended.done(Optional.empty())));
        },
        () -> {
          List<Entry> left = new ArrayList<>(entries);
          left.removeIf(entry -> reach.random.nextInt(4) == 0);
          if (reach.random.nextBoolean()) {
            landLater(partition, left, reach.random.nextLong(LATE_NANOS_MAX));
          }
          thread.execute(() -> appended.done(Optional.of(new IOException("no answer in time"))));
        });
  }

  private long landLater(int partition, List<Entry> entries, long delayNanos) {
    int level = forms.written();
    long at = reach.agenda.nowNanos() + delayNanos;
    int piece = 1 + entries.size() / (1 + reach.random.nextInt(PIECES_MAX));
    for (int from = 0; from < entries.size(); from += piece) {
      List<Entry> part = entries.subList(from, Math.min(entries.size(), from + piece));
      reach.agenda.at(at, () -> part.forEach(entry -> log.land(partition, entry, level)));
      at += 1 + reach.random.nextInt(2_000_000);
    }
    return at;
  }

  @Override
  public Tail tail(TailListener listener) {
    SimTail tail = new SimTail(log, forms, reach, this::isReached, thread, listener);
    tails.add(tail);
    return tail;
  }

  @Override
  public CompletableFuture<End> end(int partition) {
    return ask(any -> log.partition(partition).end(), List.of(partition))
        .thenApply(all -> new End(all.get(partition), Bytes.EMPTY));
  }

  private <T> CompletableFuture<Map<Integer, T>> ask(
      IntFunction<T> question, Collection<Integer> partitions) {
    CompletableFuture<Map<Integer, T>> answer = new CompletableFuture<>();
    reach.ask(
        this::isReached,
        () -> {
          Map<Integer, T> found = new TreeMap<>();
          partitions.forEach(partition -> found.put(partition, question.apply(partition)));
          reach.agenda.after(reach.nanos(), () -> thread.execute(() -> answer.complete(found)));
        },
        () ->
            thread.execute(
                () -> answer.completeExceptionally(new IOException("no answer in time"))));
    return answer;
  }

  @Override
  public CompletableFuture<Map<Integer, Bounds>> bounds(Collection<Integer> partitions) {
    return ask(
        partition ->
            new Bounds(
                Math.max(1, log.whole(partition)),
                Math.max(0, log.partition(partition).end() - 1),
                Optional.of(log.leaderEpoch(partition) + 1L)),
        partitions);
  }

  /** This log can tell of all partitions or, when it is out of reach, of none. */
  @Override
  public Map<Integer, CompletableFuture<Bounds>> boundsOfEach(Collection<Integer> partitions) {
    CompletableFuture<Map<Integer, Bounds>> answer = bounds(partitions);
    Map<Integer, CompletableFuture<Bounds>> ofEach = new TreeMap<>();
    // In an order that the seed alone decides: the answers are told in it.
    for (int partition : new TreeSet<>(partitions)) {
      ofEach.put(partition, answer.thenApply(all -> all.get(partition)));
    }
    return ofEach;
  }

  @Override
  public CompletableFuture<Map<Integer, Long>> firstSince(
      Collection<Integer> partitions, long micros) {
    return ask(
        partition ->
            log.partition(partition).kept.values().stream()
                .filter(record -> record.timeMicros() >= micros)
                .map(Stored::offset)
                .findFirst()
                .orElse(Long.MAX_VALUE),
        partitions);
  }

  /** This log loses nothing. */
  @Override
  public CompletableFuture<Map<Integer, Long>> shared(Map<Integer, KnownPosition> known) {
    return ask(partition -> known.get(partition).position(), known.keySet());
  }

  @Override
  public void close() {
    died();
  }

  /** A reader of the log: fetches one chunk at a time, with a delay. */
  private static final class SimTail implements Tail {

    private static final long RETRY_NANOS = 200_000_000;
    private static final int RECORDS_MAX = 12;

    private final SimLog log;
    private final Forms forms;
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
        SimLog log,
        Forms forms,
        Reach reach,
        BooleanSupplier isReached,
        SimThread thread,
        TailListener listener) {
      this.log = log;
      this.forms = forms;
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
          records.kept.tailMap(from, true).values().stream()
              .limit(recordsMax)
              .map(record -> asRead(records, record))
              .toList();
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

    /** A record as the node's build decodes it: not at all when the build lacks its form. */
    private Stored asRead(SimLog.Partition records, Stored record) {
      if (forms.reads(records.levelOf(record))) {
        return record;
      }
      Entry entry = record.entry();
      return new Stored(
          record.offset(),
          record.timeMicros(),
          RecordHeader.decode(NEWER_HEADER, entry.key(), entry.value()),
          record.leaderEpoch());
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
}
