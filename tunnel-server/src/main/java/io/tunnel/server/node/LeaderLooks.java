package io.tunnel.server.node;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.LookFailedException;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.cluster.Placement;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.Pinned;
import io.tunnel.wire.LookAnswer.Refused;
import io.tunnel.wire.LookAnswer.Unpinned;
import io.tunnel.wire.LookRequest;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.LookRequest.Pin;
import io.tunnel.wire.LookRequest.Question;
import io.tunnel.wire.LookRequest.Unpin;
import io.tunnel.wire.LookRequest.Where;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Asks the leader of each partition, local or remote. A partition without a leader, with a leader
 * that does not lead yet or any more, or with an unreachable leader is asked about again after
 * {@value #RETRY_MS} ms, at the leader that the placement names then. After {@value #WAIT_MS_MAX}
 * ms the question fails with a {@link LookFailedException} that names the partition and the last
 * reason. Each partition succeeds or fails for itself. Safe for use by any thread.
 *
 * @param self name of this node
 * @param own looks at the replicas of this node
 * @param names how failures name a partition, with its table where this node knows the table
 */
record LeaderLooks(
    String self,
    Supplier<Placement> placement,
    PartitionLooks own,
    Peers peers,
    Timing timing,
    IntFunction<String> names) {

  /** Milliseconds from a question to its answer or failure. */
  static final long WAIT_MS_MAX = 3_000;

  /** Milliseconds between two attempts. */
  static final long RETRY_MS = 100;

  /** The clock, in nanoseconds, and the timer. */
  record Timing(LongSupplier nanos, Later later) {}

  /** A question with its answer. */
  private record Asked(
      Question question, String name, CompletableFuture<Part> answer, long deadlineNanos) {

    void succeed(Part found) {
      boolean unused = answer.complete(found);
    }

    void fail(String reason) {
      boolean unused =
          answer.completeExceptionally(
              new LookFailedException("cannot look at " + name + ": " + reason));
    }
  }

  /** By partition, the answer of its leader at some time after the call. */
  Map<Integer, CompletableFuture<Found>> ask(Collection<Where> questions) {
    return answers(questions, Found.class);
  }

  /** By partition, what its leader has after positions at some time after the call. */
  Map<Integer, CompletableFuture<Lags>> lags(Collection<Behind> questions) {
    return answers(questions, Lags.class);
  }

  /** By partition, where its leader has taken the rows at some time after the call. */
  Map<Integer, CompletableFuture<Pinned>> pin(Collection<Pin> questions) {
    return answers(questions, Pinned.class);
  }

  /** By partition, whether its leader has heard that no rows are needed. */
  Map<Integer, CompletableFuture<Unpinned>> unpin(Collection<Unpin> questions) {
    return answers(questions, Unpinned.class);
  }

  /** The answer of a node, perhaps this one, which is asked once. */
  CompletableFuture<List<Part>> askNode(Placement.Member node, Question question) {
    return node.name().equals(self)
        ? own.answer(question).thenApply(List::of)
        : peers.ask(node, List.of(question));
  }

  /** A copy in which {@code looks} answers for this node. */
  LeaderLooks over(PartitionLooks looks) {
    return new LeaderLooks(self, placement, looks, peers, timing, names);
  }

  private <T extends Part> Map<Integer, CompletableFuture<T>> answers(
      Collection<? extends Question> questions, Class<T> type) {
    long deadlineNanos = timing.nanos().getAsLong() + TimeUnit.MILLISECONDS.toNanos(WAIT_MS_MAX);
    Map<Integer, Asked> all = new TreeMap<>();
    for (Question question : questions) {
      String name = names.apply(question.partition());
      all.put(
          question.partition(),
          new Asked(question, name, new CompletableFuture<>(), deadlineNanos));
    }
    Map<Integer, CompletableFuture<T>> answers = new TreeMap<>();
    all.forEach((partition, asked) -> answers.put(partition, asked.answer().thenApply(type::cast)));
    List<Asked> sorted = List.copyOf(all.values());
    afterwards(
        WAIT_MS_MAX,
        sorted,
        late -> late.forEach(asked -> asked.fail("no answer in " + WAIT_MS_MAX + " ms")));
    send(sorted);
    return answers;
  }

  /** Asks about partitions in rising order. */
  private void send(List<Asked> all) {
    Placement now = placement.get();
    Map<String, List<Asked>> byLeader = new TreeMap<>();
    List<Asked> leaderless = new ArrayList<>();
    for (Asked asked : all) {
      Optional<Placement.Member> leader = now.leader(asked.question().partition());
      if (asked.answer().isDone()) {
        continue;
      }
      if (leader.isEmpty()) {
        leaderless.add(asked);
      } else {
        byLeader.computeIfAbsent(leader.get().name(), name -> new ArrayList<>()).add(asked);
      }
    }
    again(leaderless, "the partition has no leader");
    byLeader.forEach(
        (name, asked) -> {
          if (name.equals(self)) {
            asked.forEach(this::look);
          } else {
            sendTo(now.node(name).orElseThrow(), asked);
          }
        });
  }

  private void look(Asked asked) {
    var unused =
        own.answer(asked.question())
            .whenComplete(
                (found, failure) -> {
                  if (failure == null) {
                    asked.succeed(found);
                  } else {
                    failed(List.of(asked), failure);
                  }
                });
  }

  private void sendTo(Placement.Member leader, List<Asked> asked) {
    for (int from = 0; from < asked.size(); from += LookRequest.QUESTIONS_MAX) {
      List<Asked> some =
          asked.subList(from, Math.min(asked.size(), from + LookRequest.QUESTIONS_MAX));
      List<Question> questions = some.stream().map(Asked::question).toList();
      var unused =
          peers
              .ask(leader, questions)
              .whenComplete(
                  (parts, failure) -> {
                    if (failure == null) {
                      took(some, parts);
                    } else {
                      failed(some, failure);
                    }
                  });
    }
  }

  private void took(List<Asked> asked, List<Part> parts) {
    Map<String, List<Asked>> again = new TreeMap<>();
    for (int i = 0; i < parts.size(); i++) {
      Asked one = asked.get(i);
      Part part = parts.get(i);
      if (part instanceof Refused refused && isPassing(refused.code())) {
        again.computeIfAbsent(refused.reason(), reason -> new ArrayList<>()).add(one);
      } else if (part instanceof Refused refused) {
        one.fail(refused.reason());
      } else if (part.isTo(one.question())) {
        one.succeed(part);
      } else {
        one.fail("no answer to the question");
      }
    }
    again.forEach((reason, all) -> again(all, reason));
  }

  /** Whether another attempt may succeed: leadership moves, or the node is restarted. */
  private static boolean isPassing(ErrorCode code) {
    return code == ErrorCode.NOT_LEADER
        || code == ErrorCode.SHUTTING_DOWN
        || code == ErrorCode.BUSY;
  }

  private void failed(List<Asked> asked, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    String reason = String.valueOf(cause.getMessage());
    boolean isPassing =
        cause instanceof RefusedException refused
            ? isPassing(refused.code())
            : cause instanceof IOException;
    if (isPassing) {
      again(asked, reason);
    } else {
      asked.forEach(one -> one.fail(reason));
    }
  }

  private void again(List<Asked> asked, String reason) {
    long retryNanos = timing.nanos().getAsLong() + TimeUnit.MILLISECONDS.toNanos(RETRY_MS);
    List<Asked> open = new ArrayList<>();
    for (Asked one : asked) {
      if (one.deadlineNanos() - retryNanos > 0) {
        open.add(one);
      } else {
        one.fail(reason);
      }
    }
    if (!open.isEmpty()) {
      afterwards(RETRY_MS, open, this::send);
    }
  }

  private void afterwards(long ms, List<Asked> asked, Consumer<List<Asked>> action) {
    if (!timing.later().after(ms, () -> action.accept(asked))) {
      asked.forEach(one -> one.fail("this node is stopping"));
    }
  }
}
