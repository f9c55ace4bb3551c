package io.tunnel.server.node;

import io.tunnel.server.cluster.Placement;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookRequest.Question;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The other nodes of the cluster, which answer looks. Safe for use by any thread. */
@FunctionalInterface
interface Peers {

  /**
   * Asks another node. Each part of the answer is to the question at its place.
   *
   * <p>The future fails within {@link PeerLooks#DEADLINE_MS}: with an {@link java.io.IOException}
   * when the node does not answer or too many questions are in flight, and with a {@link
   * io.tunnel.model.RefusedException} when the node refuses all questions.
   *
   * @param questions of rising partitions, at most {@link io.tunnel.wire.LookRequest#QUESTIONS_MAX}
   */
  CompletableFuture<List<Part>> ask(Placement.Member node, List<Question> questions);
}
