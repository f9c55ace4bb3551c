package io.tunnel.server.replica.append;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.partition.Shard;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Lag;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.LookRequest.Where;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Looks at the partitions that a node leads. An answer is what the leader knows after a strict
 * read: a look at the end of the log that began after the question.
 *
 * <p>A time that the leader's clock has shown is a barrier: the leader stamps no later change
 * before the time, and answers when all appends under way are settled. So the next change after the
 * last one is the first since the time, also if the change is not written yet.
 */
record LaneLooks(AppendReplicas replicas, AppendTimes times, Snapshots snapshots, Shard.Clock clock)
    implements PartitionLooks {

  @Override
  public CompletableFuture<Found> look(Where question) {
    int partition = question.partition();
    long nowMicros = clock.epochMicros();
    CompletableFuture<Found> answer = new CompletableFuture<>();
    Runnable read =
        () ->
            replicas.read(
                partition,
                () -> answer(question, nowMicros, answer),
                answer::completeExceptionally);
    OptionalLong passed =
        question.sinceMicros().stream().mapToLong(each -> each).filter(at -> at <= nowMicros).max();
    if (passed.isPresent()) {
      replicas.keeper(partition).passed(partition, passed.getAsLong(), read);
    } else {
      read.run();
    }
    return answer;
  }

  private void answer(Where question, long nowMicros, CompletableFuture<Found> answer) {
    int partition = question.partition();
    if (!replicas.isServing(partition)) {
      answer.completeExceptionally(replicas.notLeader(partition));
      return;
    }
    long last = replicas.committed(partition);
    List<CompletableFuture<Long>> firsts = new ArrayList<>();
    for (long micros : question.sinceMicros()) {
      firsts.add(firstSince(partition, micros, last, micros <= nowMicros));
    }
    var unused =
        CompletableFuture.allOf(firsts.toArray(CompletableFuture[]::new))
            .whenComplete(
                (all, failure) -> {
                  if (failure != null) {
                    answer.completeExceptionally(failure.getCause());
                  } else {
                    answer.complete(
                        new Found(
                            partition,
                            replicas.firstKeptPosition(partition),
                            last,
                            replicas.incarnations().newest(partition),
                            firsts.stream().map(CompletableFuture::join).toList(),
                            question.known().map(known -> shared(partition, known))));
                  }
                });
  }

  /** The local log answers for the time that it reaches back to, the shared log for the rest. */
  private CompletableFuture<Long> firstSince(
      int partition, long micros, long last, boolean isPassed) {
    try {
      long before = replicas.positionBefore(partition, micros);
      boolean isLocal =
          before >= replicas.firstPosition(partition)
              || replicas.firstKeptPosition(partition) >= replicas.firstPosition(partition);
      return isLocal
          ? CompletableFuture.completedFuture(after(before, last, isPassed))
          : times
              .positionBefore(partition, micros)
              .thenApply(
                  found ->
                      after(
                          found.orElseThrow(() -> replicas.notLeader(partition)), last, isPassed));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(unreadable(partition, e));
    }
  }

  private static long after(long before, long last, boolean isPassed) {
    return before >= last && !isPassed ? Long.MAX_VALUE : Math.min(before, last) + 1;
  }

  private long shared(int partition, KnownPosition known) {
    Optional<IncarnationHistory> history = replicas.incarnations().of(partition);
    long upTo = history.map(found -> found.sharedUpTo(known.incarnation())).orElse(0L);
    return Math.min(known.position(), upTo);
  }

  /**
   * Bytes and times are those of the local log, and of the shared log where only this has a time.
   */
  @Override
  public CompletableFuture<Lags> lags(Behind question) {
    CompletableFuture<Lags> answer = new CompletableFuture<>();
    replicas.read(
        question.partition(), () -> lags(question, answer), answer::completeExceptionally);
    return answer;
  }

  private void lags(Behind question, CompletableFuture<Lags> answer) {
    int partition = question.partition();
    if (!replicas.isServing(partition)) {
      answer.completeExceptionally(replicas.notLeader(partition));
      return;
    }
    try {
      long first = replicas.firstKeptPosition(partition);
      long last = replicas.committed(partition);
      List<Lag> lags = new ArrayList<>();
      for (long position : question.positions()) {
        lags.add(lag(partition, position));
      }
      answer.complete(new Lags(partition, first, last, lags));
    } catch (IOException e) {
      answer.completeExceptionally(unreadable(partition, e));
    }
  }

  /**
   * Waits for no search in the shared log, since one answer has many partitions. A change that the
   * local log lacks has the time that is known until the search ends, if any.
   */
  private Lag lag(int partition, long position) throws IOException {
    long bytes = replicas.bytesAfter(partition, position);
    if (bytes != LogFigures.UNKNOWN) {
      return new Lag(bytes, replicas.commitMicrosAfter(partition, position));
    }
    long found = times.knownCommitMicrosAfter(partition, position).orElse(0);
    return new Lag(Lag.UNKNOWN, found > 0 ? found : Lag.UNKNOWN);
  }

  private static RefusedException unreadable(int partition, IOException e) {
    return new RefusedException(
        ErrorCode.STORAGE_FAILED,
        "cannot read the local log of partition " + partition + ": " + e.getMessage());
  }

  /** The answer is empty after a start, until the node has read a snapshot back. */
  @Override
  public CompletableFuture<Optional<Long>> verified(int partition) {
    return CompletableFuture.completedFuture(snapshots.verified(partition));
  }
}
