package io.tunnel.server.replica;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.OwnerLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Strict reads of one partition: each runs when the replica has read to an end of the log that was
 * asked for after the read had come. Then the replica has everything that any client was told
 * before the read came, and if another leader had begun by then, the replica has read that leader's
 * marker and serves nothing.
 *
 * <p>One question is under way at a time, however many reads there are: reads that come meanwhile
 * wait for the next one, because the end that is on its way may have been seen before they came.
 * For the shard's thread.
 */
public final class ReadIndex {

  /** Came since the question under way was asked. */
  private List<Read> coming = new ArrayList<>();

  /** Are answered by the question that is under way; empty when there is none. */
  private List<Read> asked = List.of();

  /** By rising end. */
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  /** A read, which receives one of the two, once. */
  public record Read(Runnable action, Consumer<RefusedException> refused) {}

  private record Waiting(long end, List<Read> reads, long deadlineNanos) {}

  /** A read comes; whether the log's end is to be asked for now. */
  public boolean add(Read read) {
    coming.add(read);
    return asksNext();
  }

  private boolean asksNext() {
    if (!asked.isEmpty() || coming.isEmpty()) {
      return false;
    }
    asked = coming;
    coming = new ArrayList<>();
    return true;
  }

  /** The question is answered; whether another is to be asked now. */
  public boolean ended(long end, long deadlineNanos) {
    // An end that was seen later may be reported as a lower one, of a log that was truncated.
    long last = waiting.isEmpty() ? end : Math.max(end, waiting.getLast().end());
    waiting.add(new Waiting(last, asked, deadlineNanos));
    asked = List.of();
    return asksNext();
  }

  /** The log did not answer; whether another question is to be asked now. */
  public boolean failed(RefusedException reason) {
    List<Read> refused = asked;
    asked = List.of();
    refused.forEach(read -> OwnerLoop.runPosted(() -> read.refused().accept(reason)));
    return asksNext();
  }

  /** Everything before {@code next} is folded: takes the reads that may be done. */
  public List<Runnable> take(long next) {
    List<Runnable> taken = new ArrayList<>();
    while (!waiting.isEmpty() && waiting.getFirst().end() <= next) {
      waiting.remove().reads().forEach(read -> taken.add(read.action()));
    }
    return taken;
  }

  /** Refuses the reads that have waited for too long. */
  public void expire(long nowNanos, RefusedException reason) {
    while (!waiting.isEmpty() && nowNanos - waiting.getFirst().deadlineNanos() >= 0) {
      waiting
          .remove()
          .reads()
          .forEach(read -> OwnerLoop.runPosted(() -> read.refused().accept(reason)));
    }
  }

  /** Refuses all. */
  public void stop(RefusedException reason) {
    List<Read> all = new ArrayList<>(asked);
    all.addAll(coming);
    waiting.forEach(each -> all.addAll(each.reads()));
    asked = List.of();
    coming = new ArrayList<>();
    waiting.clear();
    all.forEach(read -> OwnerLoop.runPosted(() -> read.refused().accept(reason)));
  }

  /** What is said to a strict read that the log did not answer in time. */
  public static RefusedException unconfirmed() {
    return new RefusedException(
        ErrorCode.LOG_UNAVAILABLE,
        "the log that the nodes share did not confirm in time that this node leads; try again");
  }
}
