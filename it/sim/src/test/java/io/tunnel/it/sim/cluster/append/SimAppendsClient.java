package io.tunnel.it.sim.cluster.append;

import io.tunnel.it.sim.cluster.group.Reach;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.server.replica.append.AppendTail;
import io.tunnel.server.replica.append.ReadableAppendLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/**
 * The log of appends as one start of a node reaches it. Records of a partition land in their order.
 * When an answer is lost or the log is out of reach, some records land much later, or twice, or
 * never.
 */
public final class SimAppendsClient implements ReadableAppendLog {

  private static final long LATE_NANOS_MAX = 6_000_000_000L;
  private static final int IN_FLIGHT_MAX = 60;
  private static final int DOUBLED_ONE_IN = 60;

  private final String node;
  private final SimAppends log;
  private final Reach reach;
  private final SimThread thread;
  private final List<SimAppendsTail> tails = new ArrayList<>();

  /** By partition, when the last record lands, and when the last answer comes. */
  private final Map<Integer, Long> landing = new TreeMap<>();

  private final Map<Integer, Long> answering = new TreeMap<>();
  private int inFlight;

  /** The log as a node reaches it, whose events and answers come on {@code thread}. */
  public SimAppendsClient(String node, SimAppends log, Reach reach, SimThread thread) {
    this.node = node;
    this.log = log;
    this.reach = reach;
    this.thread = thread;
  }

  /** The process is no more. */
  public void died() {
    tails.forEach(SimAppendsTail::close);
  }

  private boolean isReached() {
    return reach.isReached(node);
  }

  /** Whether the log takes what is sent, and the answer is lost on its way. */
  private boolean isDeaf() {
    return reach.isSent(node) && !reach.isReached(node);
  }

  @Override
  public void append(int partition, byte[] header, byte[] value, Appended appended) {
    inFlight++;
    long at = next(landing, partition);
    reach.agenda.at(at, () -> arrive(partition, header, value, appended));
  }

  /** A moment after the last one of the partition. */
  private long next(Map<Integer, Long> last, int partition) {
    long at =
        Math.max(last.getOrDefault(partition, 0L) + 1, reach.agenda.nowNanos() + reach.nanos());
    last.put(partition, at);
    return at;
  }

  private void arrive(int partition, byte[] header, byte[] value, Appended appended) {
    boolean isAlive = thread.process().isAlive();
    if (!isAlive) {
      // What was on its way when the process ended.
      if (isReached() && reach.random.nextBoolean()) {
        log.land(partition, header, value);
      }
      return;
    }
    boolean isLost = reach.loses();
    if (isReached() && !isLost) {
      landed(partition, header, value, appended);
      return;
    }
    if (isDeaf()) {
      log.land(partition, header, value);
    } else {
      lost(partition, header, value);
    }
    long at = Math.max(answering.getOrDefault(partition, 0L) + 1, failsNanos());
    answering.put(partition, at);
    answer(at, appended, Optional.empty());
  }

  private void lost(int partition, byte[] header, byte[] value) {
    switch (reach.random.nextInt(3)) {
      case 0 ->
          reach.agenda.after(
              reach.random.nextLong(LATE_NANOS_MAX), () -> log.land(partition, header, value));
      case 1 -> {
        if (isReached()) {
          log.land(partition, header, value);
        }
      }
      default -> {
        // Never lands.
      }
    }
  }

  private long failsNanos() {
    return reach.agenda.nowNanos() + Reach.REQUEST_NANOS;
  }

  private void landed(int partition, byte[] header, byte[] value, Appended appended) {
    Placed placed = new Placed(log.land(partition, header, value), log.nowMs());
    if (reach.lossPercent > 0 && reach.random.nextInt(DOUBLED_ONE_IN) == 0) {
      log.land(partition, header, value);
    }
    answer(next(answering, partition), appended, Optional.of(placed));
  }

  private void answer(long at, Appended appended, Optional<Placed> placed) {
    reach.agenda.at(
        at,
        () ->
            thread.execute(
                () -> {
                  inFlight--;
                  appended.done(placed);
                }));
  }

  @Override
  public boolean isFull() {
    return inFlight >= IN_FLIGHT_MAX;
  }

  @Override
  public AppendTail tail(AppendTail.Listener listener) {
    SimAppendsTail tail = new SimAppendsTail(log, reach, this::isReached, this::ask, thread);
    tail.tell(listener);
    tails.add(tail);
    return tail;
  }

  /** Asks about partitions; all fail together when the log is out of reach. */
  <T> Map<Integer, CompletableFuture<T>> ask(
      Collection<Integer> partitions, IntFunction<T> question) {
    Map<Integer, CompletableFuture<T>> answers = new TreeMap<>();
    new TreeSet<>(partitions).forEach(id -> answers.put(id, new CompletableFuture<>()));
    reach.ask(
        this::isReached,
        () -> {
          Map<Integer, T> found = new TreeMap<>();
          answers.keySet().forEach(id -> found.put(id, question.apply(id)));
          reach.agenda.after(
              reach.nanos(),
              () ->
                  thread.execute(
                      () -> found.forEach((id, value) -> answers.get(id).complete(value))));
        },
        () ->
            thread.execute(
                () ->
                    answers
                        .values()
                        .forEach(
                            each ->
                                each.completeExceptionally(new IOException("no answer in time")))));
    return answers;
  }

  @Override
  public Map<Integer, CompletableFuture<Long>> starts(Collection<Integer> partitions) {
    return ask(partitions, id -> log.log(id).first);
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    if (isDeaf()) {
      reach.agenda.after(reach.nanos(), () -> log.deleteBefore(partition, offset));
    }
    return ask(List.of(partition), id -> log.deleteBefore(id, offset))
        .get(partition)
        .thenApply(any -> null);
  }

  @Override
  public void close() {
    died();
  }
}
