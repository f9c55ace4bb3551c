package io.tunnel.server.node;

import io.tunnel.server.cluster.Placement;
import io.tunnel.server.replica.append.OtherReplicas;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.VerifiedUpTo;
import io.tunnel.wire.LookRequest.Verified;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Asks replicas on other nodes for the newest snapshot of a partition that a replica has read back.
 * A leader asks before the leader trims the log.
 *
 * @param self name of this node, which is not asked
 */
record VerifiedElsewhere(String self, Supplier<Placement> placement, Peers peers)
    implements OtherReplicas {

  @Override
  public boolean has(int partition) {
    Placement now = placement.get();
    return now.nodes().stream()
        .anyMatch(node -> !node.name().equals(self) && now.has(node.name(), partition));
  }

  @Override
  public CompletableFuture<OptionalLong> verified(int partition) {
    Placement now = placement.get();
    List<CompletableFuture<OptionalLong>> answers = new ArrayList<>();
    for (Placement.Member node : now.nodes()) {
      if (!node.name().equals(self) && now.has(node.name(), partition)) {
        answers.add(
            peers
                .ask(node, List.of(new Verified(partition)))
                .handle((parts, failure) -> failure == null ? id(parts) : OptionalLong.empty()));
      }
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(all -> answers.stream().flatMapToLong(answer -> answer.join().stream()).max());
  }

  private static OptionalLong id(List<Part> parts) {
    return parts.get(0) instanceof VerifiedUpTo verified && verified.id().isPresent()
        ? OptionalLong.of(verified.id().get())
        : OptionalLong.empty();
  }
}
