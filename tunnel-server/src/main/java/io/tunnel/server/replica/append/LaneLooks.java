package io.tunnel.server.replica.append;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookRequest.Where;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Looks at the partitions that a node leads. An answer is what the leader knows after a strict
 * read: a look at the end of the log that began after the question.
 */
record LaneLooks(AppendReplicas replicas, AppendTimes times, Snapshots snapshots)
    implements PartitionLooks {

  @Override
  public CompletableFuture<Found> look(Where question) {
    CompletableFuture<Found> answer = new CompletableFuture<>();
    replicas.read(
        question.partition(), () -> answer(question, answer), answer::completeExceptionally);
    return answer;
  }

  private void answer(Where question, CompletableFuture<Found> answer) {
    int partition = question.partition();
    if (!replicas.isServing(partition)) {
      answer.completeExceptionally(replicas.notLeader(partition));
      return;
    }
    long last = replicas.committed(partition);
    List<CompletableFuture<Long>> firsts = new ArrayList<>();
    for (long micros : question.sinceMicros()) {
      firsts.add(firstSince(partition, micros, last));
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
                            replicas.keptFrom(partition),
                            last,
                            replicas.incarnations().newest(partition),
                            firsts.stream().map(CompletableFuture::join).toList(),
                            question.known().map(known -> shared(partition, known))));
                  }
                });
  }

  /** The local log answers for the time that it reaches back to, the shared log for the rest. */
  private CompletableFuture<Long> firstSince(int partition, long micros, long last) {
    try {
      long before = replicas.positionBefore(partition, micros);
      boolean isLocal =
          before >= replicas.firstPosition(partition)
              || replicas.keptFrom(partition) >= replicas.firstPosition(partition);
      return isLocal
          ? CompletableFuture.completedFuture(after(before, last))
          : times
              .positionBefore(partition, micros)
              .thenApply(
                  found -> after(found.orElseThrow(() -> replicas.notLeader(partition)), last));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(
          new RefusedException(
              ErrorCode.STORAGE_FAILED,
              "cannot read the local log of partition " + partition + ": " + e.getMessage()));
    }
  }

  private static long after(long before, long last) {
    return before >= last ? Long.MAX_VALUE : before + 1;
  }

  private long shared(int partition, KnownPosition known) {
    Optional<IncarnationHistory> history = replicas.incarnations().of(partition);
    long upTo = history.map(found -> found.sharedUpTo(known.incarnation())).orElse(0L);
    return Math.min(known.position(), upTo);
  }

  /** The answer is empty after a start, until the node has read a snapshot back. */
  @Override
  public CompletableFuture<Optional<Long>> verified(int partition) {
    return CompletableFuture.completedFuture(snapshots.verified(partition));
  }
}
