package io.tunnel.server.net;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.NodeSeals;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.cluster.ClusterView.LookedAt;
import io.tunnel.wire.Frame;
import io.tunnel.wire.LookAnswer;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.Refused;
import io.tunnel.wire.LookRequest;
import io.tunnel.wire.LookRequest.Question;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Serves the looks of other nodes. The seal of a request is the right to look; nothing of a request
 * without a valid seal is decoded. No thread waits for an answer: the last partition that answers
 * sends the answer. A partition that does not answer in time delays the others no longer.
 */
final class LookRequests {

  /** Milliseconds that a look waits for a partition: less than the asking node waits. */
  static final long WAIT_MS = 2_000;

  private final ClusterView view;
  private final NodeSeals seals;
  private final RequestThreads.WallClock clock;
  private final Refusals refusals;

  LookRequests(
      ClusterView view, NodeSeals seals, RequestThreads.WallClock clock, Refusals refusals) {
    this.view = view;
    this.seals = seals;
    this.clock = clock;
    this.refusals = refusals;
  }

  /**
   * Checks that a node of this cluster has sent the request.
   *
   * @throws RefusedException NOT_PERMITTED when no node has; BUSY while the catalog is not read
   */
  void requireNode(byte[] payload) {
    if (view.lookedAt().isEmpty()) {
      throw new RefusedException(
          ErrorCode.NOT_PERMITTED, "this server asks for a key; it answers no looks of nodes");
    }
    var unused = opened(view.lookedAt().get(), payload);
  }

  private LookRequest opened(LookedAt lookedAt, byte[] payload) {
    return seals.open(payload, lookedAt.node(), clock.epochMs());
  }

  void look(Frame frame, Connection connection) {
    LookedAt lookedAt =
        view.lookedAt()
            .orElseThrow(
                () ->
                    new RefusedException(
                        ErrorCode.INVALID_REQUEST,
                        "this server is no node of a cluster, and answers no looks"));
    LookRequest request = opened(lookedAt, frame.payload());
    Looking looking = new Looking(frame, connection, request.questions());
    looking.begin(lookedAt.looks());
  }

  /** A request under way. The monitor guards the fields; nothing is called under the monitor. */
  private final class Looking {
    private final Frame frame;
    private final Connection connection;
    private final List<Question> questions;

    /** By the index of its question, the part that answers, or no part yet. */
    private final List<List<Part>> parts;

    /** Questions without a part; 0 <= open. */
    private int open;

    private boolean isAnswered;

    Looking(Frame frame, Connection connection, List<Question> questions) {
      this.frame = frame;
      this.connection = connection;
      this.questions = questions;
      this.parts = new ArrayList<>(Collections.nCopies(questions.size(), List.of()));
      this.open = questions.size();
    }

    void begin(PartitionLooks looks) {
      for (int i = 0; i < questions.size(); i++) {
        int index = i;
        Question question = questions.get(i);
        var unused =
            looks
                .answer(question)
                .whenComplete(
                    (part, failure) ->
                        took(index, failure == null ? part : refused(question, failure)));
      }
      if (mayAnswer(false)) {
        answer();
      } else {
        var unused =
            connection.schedule(
                () -> {
                  if (mayAnswer(true)) {
                    answer();
                  }
                },
                WAIT_MS,
                TimeUnit.MILLISECONDS);
      }
    }

    private Refused refused(Question question, Throwable failure) {
      Throwable cause =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      RefusedException reason =
          cause instanceof Exception known
              ? refusals.of(known)
              : new RefusedException(ErrorCode.INTERNAL, "the server failed: " + cause);
      return new Refused(question.partition(), reason.code(), String.valueOf(reason.getMessage()));
    }

    private void took(int index, Part part) {
      synchronized (this) {
        parts.set(index, List.of(part));
        open--;
      }
      if (mayAnswer(false)) {
        answer();
      }
    }

    /** True once: when each question has a part, or the wait is over. */
    private synchronized boolean mayAnswer(boolean isLate) {
      boolean mayAnswer = !isAnswered && (isLate || open == 0);
      isAnswered |= mayAnswer;
      return mayAnswer;
    }

    private void answer() {
      connection.respond(frame, seals.sealAnswer(frame.payload(), new LookAnswer(known())));
    }

    private synchronized List<Part> known() {
      List<Part> known = new ArrayList<>(parts.size());
      for (int i = 0; i < parts.size(); i++) {
        int partition = questions.get(i).partition();
        known.add(
            parts.get(i).isEmpty()
                ? new Refused(
                    partition,
                    ErrorCode.LOG_UNAVAILABLE,
                    "the replica of partition "
                        + partition
                        + " has not looked in "
                        + WAIT_MS
                        + " ms")
                : parts.get(i).get(0));
      }
      return known;
    }
  }
}
