package io.tunnel.server.node;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.IncarnationHistory.Numbers;
import io.tunnel.server.changes.IncarnationHistory.Start;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.cluster.Placement.Member;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Lag;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.Refused;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.LookRequest.Question;
import io.tunnel.wire.LookRequest.Where;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A cluster of three nodes with a log of appends, all in one thread; a test moves everything. */
final class LookedLog {

  static final String SELF = "n1";
  static final List<String> NODES = List.of("n1", "n2", "n3");

  final ManualLater later = new ManualLater();

  /** Requests to other nodes that were not answered yet. */
  final List<Request> requests = new ArrayList<>();

  /** By partition, all states since the begin, the newest last. */
  final Map<Integer, List<State>> states = new TreeMap<>();

  /** By partition, the leader that the node was told. */
  final Map<Integer, String> told = new HashMap<>();

  /** Whether own looks fail because the shared log does not answer. */
  boolean isUnavailable;

  /** Whether each question is answered at once. */
  boolean isPrompt;

  final LeaderLooks leaders =
      new LeaderLooks(
          SELF,
          this::placement,
          of(SELF),
          this::request,
          new LeaderLooks.Timing(() -> TimeUnit.MILLISECONDS.toNanos(later.nowMs()), later),
          partition -> "partition " + partition);

  final LookedBounds bounds = new LookedBounds(leaders);

  /** A request on its way. */
  record Request(String node, List<Question> questions, CompletableFuture<List<Part>> answer) {}

  /**
   * A partition at a time.
   *
   * @param micros commit times, of position 1 and so on
   */
  record State(long first, List<Long> micros, List<Start> starts, Optional<String> leader) {

    long last() {
      return micros.size();
    }

    long incarnation() {
      return starts.get(starts.size() - 1).incarnation();
    }

    private long firstSince(long moment) {
      for (int i = 0; i < micros.size(); i++) {
        if (micros.get(i) >= moment) {
          return i + 1L;
        }
      }
      return Long.MAX_VALUE;
    }

    /** Each change has 10 bytes. */
    Lag lag(long position) {
      long from = Math.max(position, first - 1);
      return from >= last() ? new Lag(0, 0) : new Lag(10 * (last() - from), micros.get((int) from));
    }

    Lags lags(Behind question) {
      return new Lags(
          question.partition(),
          first,
          last(),
          question.positions().stream().map(this::lag).toList());
    }

    Found found(Where question) {
      IncarnationHistory history =
          new IncarnationHistory(
              starts.stream().map(Start::incarnation).toList(), starts, Numbers.ORDERED);
      return new Found(
          question.partition(),
          first,
          last(),
          Optional.of(incarnation()),
          question.sinceMicros().stream().map(this::firstSince).toList(),
          question
              .known()
              .map(
                  known ->
                      Math.min(
                          Math.min(known.position(), last()),
                          history.sharedUpTo(known.incarnation()))));
    }
  }

  LookedLog(int partitions) {
    for (int i = 0; i < partitions; i++) {
      List<State> all = new ArrayList<>();
      all.add(new State(1, List.of(), List.of(new Start(1, 1)), Optional.of(NODES.get(i % 3))));
      states.put(i, all);
      told.put(i, NODES.get(i % 3));
    }
  }

  State now(int partition) {
    List<State> all = states.get(partition);
    return all.get(all.size() - 1);
  }

  private void becomes(int partition, State state) {
    states.get(partition).add(state);
  }

  void append(int partition, long atMicros) {
    State now = now(partition);
    List<Long> micros = new ArrayList<>(now.micros());
    micros.add(micros.isEmpty() ? atMicros : Math.max(atMicros, micros.get(micros.size() - 1)));
    becomes(partition, new State(now.first(), List.copyOf(micros), now.starts(), now.leader()));
  }

  void trim(int partition, long first) {
    State now = now(partition);
    becomes(partition, new State(first, now.micros(), now.starts(), now.leader()));
  }

  /** Another node leads after the log has lost its end behind {@code last}. */
  void leads(int partition, String node, long last) {
    State now = now(partition);
    long begun = now.incarnation() + 1;
    becomes(
        partition,
        new State(
            now.first(),
            List.copyOf(now.micros().subList(0, (int) last)),
            IncarnationHistory.begun(now.starts(), begun, last + 1),
            Optional.of(node)));
  }

  /** Nobody leads. */
  void falls(int partition) {
    State now = now(partition);
    becomes(partition, new State(now.first(), now.micros(), now.starts(), Optional.empty()));
  }

  private Placement placement() {
    List<Member> nodes =
        NODES.stream().map(name -> new Member(name, "i", name + ":1", false, 1)).toList();
    return new Placement(1, nodes, told, Map.of());
  }

  private CompletableFuture<List<Part>> request(Member node, List<Question> questions) {
    Request request = new Request(node.name(), questions, new CompletableFuture<>());
    requests.add(request);
    if (isPrompt) {
      answer(request);
    }
    return request.answer();
  }

  /** The replicas of a node, which answer from the state of now. */
  private PartitionLooks of(String node) {
    return new PartitionLooks() {
      @Override
      public CompletableFuture<Found> look(Where question) {
        if (isUnavailable) {
          return CompletableFuture.failedFuture(
              new RefusedException(ErrorCode.LOG_UNAVAILABLE, "the log does not answer"));
        }
        State now = now(question.partition());
        if (!now.leader().equals(Optional.of(node))) {
          throw RefusedException.notLeader(node + " does not lead", Optional.empty());
        }
        return CompletableFuture.completedFuture(now.found(question));
      }

      @Override
      public CompletableFuture<Lags> lags(Behind question) {
        if (isUnavailable) {
          return CompletableFuture.failedFuture(
              new RefusedException(ErrorCode.LOG_UNAVAILABLE, "the log does not answer"));
        }
        State now = now(question.partition());
        if (!now.leader().equals(Optional.of(node))) {
          throw RefusedException.notLeader(node + " does not lead", Optional.empty());
        }
        return CompletableFuture.completedFuture(now.lags(question));
      }

      @Override
      public CompletableFuture<Optional<Long>> verified(int partition) {
        return CompletableFuture.completedFuture(Optional.empty());
      }
    };
  }

  /** A request arrives, and its answer too. */
  void answer(Request request) {
    boolean unused = requests.remove(request);
    List<Part> parts = new ArrayList<>();
    for (Question question : request.questions()) {
      try {
        PartitionLooks looks = of(request.node());
        parts.add(
            question instanceof Behind behind
                ? looks.lags(behind).join()
                : looks.look((Where) question).join());
      } catch (RefusedException e) {
        parts.add(new Refused(question.partition(), e.code(), String.valueOf(e.getMessage())));
      }
    }
    unused = request.answer().complete(parts);
  }

  /** A request is lost. */
  void lose(Request request) {
    boolean unused = requests.remove(request);
    unused = request.answer().completeExceptionally(new IOException("the connection broke"));
  }
}
