package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.node.SimEngine;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.Refused;
import io.tunnel.wire.LookRequest.Question;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Looks of one node at others, over a network that loses questions and answers. */
final class SimPeers implements SimEngine.Others {

  private static final long DEADLINE_NANOS = 3_000_000_000L;
  private static final long WAIT_NANOS = 2_000_000_000L;

  private final ClusterWorld world;
  private final String self;
  private final SimThread control;

  SimPeers(ClusterWorld world, String self, SimThread control) {
    this.world = world;
    this.self = self;
    this.control = control;
  }

  @Override
  public CompletableFuture<List<Part>> ask(String node, List<Question> questions) {
    CompletableFuture<List<Part>> answer = new CompletableFuture<>();
    world.agenda.after(
        world.reach.nanos() + world.links.nanos(), () -> arrive(node, questions, answer));
    world.agenda.after(
        DEADLINE_NANOS,
        () -> control.execute(() -> fail(answer, "no answer of " + node + " in time")));
    return answer;
  }

  private static void fail(CompletableFuture<List<Part>> answer, String reason) {
    boolean unused = answer.completeExceptionally(new IOException(reason));
  }

  private boolean isCut(Machine machine, String from, String to) {
    return machine.isCutFromClients
        || world.machines.get(self).isCutFromClients
        || world.links.isCut(from, to);
  }

  /** A checkpoint may wait for the answer, longer than an owner may take to give a channel up. */
  private boolean isLost() {
    boolean isLost = world.reach.loses();
    if (isLost) {
      world.truth.disturbed();
    }
    return isLost;
  }

  private void arrive(String node, List<Question> questions, CompletableFuture<List<Part>> answer) {
    Machine machine = world.machines.get(node);
    if (isCut(machine, self, node) || isLost()) {
      return;
    }
    Optional<SimThread> thread = machine.controlThread();
    if (thread.isEmpty()) {
      control.execute(() -> fail(answer, node + " refuses the connection"));
      return;
    }
    if (thread.get().isBlocked()) {
      // A simulated node answers by its control thread; the network threads of a node never wait.
      world.truth.disturbed();
    }
    thread
        .get()
        .execute(
            () -> {
              PartitionLooks looks = machine.node().looks();
              new Looking(thread.get(), questions, parts -> back(machine, parts, answer))
                  .begin(looks);
            });
  }

  private void back(Machine machine, List<Part> parts, CompletableFuture<List<Part>> answer) {
    world.count(ClusterHappening.LOOKED);
    if (!isCut(machine, machine.name, self) && !isLost()) {
      world.agenda.after(
          world.reach.nanos() + world.links.nanos(),
          () ->
              control.execute(
                  () -> {
                    boolean unused = answer.complete(parts);
                  }));
    }
  }

  /** Where the answer goes. */
  @FunctionalInterface
  private interface Answer {
    void of(List<Part> parts);
  }

  /** A request at the node that was asked. */
  private static final class Looking {
    private final SimThread thread;
    private final List<Question> questions;
    private final List<Optional<Part>> parts;
    private final Answer answer;
    private boolean isAnswered;

    Looking(SimThread thread, List<Question> questions, Answer answer) {
      this.thread = thread;
      this.questions = questions;
      this.parts = new ArrayList<>(Collections.nCopies(questions.size(), Optional.empty()));
      this.answer = answer;
    }

    void begin(PartitionLooks looks) {
      for (int i = 0; i < questions.size(); i++) {
        int index = i;
        var unused =
            looks
                .answer(questions.get(i))
                .whenComplete(
                    (part, failure) ->
                        took(
                            index,
                            failure == null ? part : refused(questions.get(index), failure)));
      }
      var unusedTimer = thread.after(WAIT_NANOS, this::answer);
    }

    private static Refused refused(Question question, Throwable failure) {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      return cause instanceof RefusedException known
          ? new Refused(question.partition(), known.code(), String.valueOf(known.getMessage()))
          : new Refused(question.partition(), ErrorCode.INTERNAL, cause.toString());
    }

    private void took(int index, Part part) {
      parts.set(index, Optional.of(part));
      if (parts.stream().allMatch(Optional::isPresent)) {
        answer();
      }
    }

    private void answer() {
      if (isAnswered) {
        return;
      }
      isAnswered = true;
      List<Part> all = new ArrayList<>();
      for (int i = 0; i < questions.size(); i++) {
        int partition = questions.get(i).partition();
        all.add(
            parts
                .get(i)
                .orElseGet(
                    () -> new Refused(partition, ErrorCode.LOG_UNAVAILABLE, "no answer in time")));
      }
      answer.of(all);
    }
  }
}
