package io.tunnel.server.changes;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.LookAnswer.BoundRows;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.Pinned;
import io.tunnel.wire.LookAnswer.Unpinned;
import io.tunnel.wire.LookAnswer.VerifiedUpTo;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.LookRequest.Bound;
import io.tunnel.wire.LookRequest.Pin;
import io.tunnel.wire.LookRequest.Question;
import io.tunnel.wire.LookRequest.Unpin;
import io.tunnel.wire.LookRequest.Where;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Looks at this node's replicas of partitions, for this node and for other nodes of the cluster.
 * Safe for use by any thread; any thread may complete an answer.
 *
 * <p>A future fails with a {@link io.tunnel.model.RefusedException}: NOT_LEADER where this node
 * does not lead the partition, LOG_UNAVAILABLE when the shared log does not answer. A node waits
 * for an answer for 2 s, and then takes the log for unavailable.
 */
public interface PartitionLooks {

  /**
   * Where the changes of a partition are, at some time after the call. The leader answers after a
   * look at the end of the shared log that began after the call, which shows that the node still
   * leads.
   */
  CompletableFuture<Found> look(Where question);

  /** What follows positions of a partition; the leader answers as {@link #look} says. */
  CompletableFuture<Lags> lags(Behind question);

  /**
   * The id of the newest snapshot of a partition that this node has read back without an error;
   * empty without one. Asks replicas that do not lead.
   */
  CompletableFuture<Optional<Long>> verified(int partition);

  /**
   * How many rows of sessions are in the partitions that this node leads, or may get there by
   * writes that are under way; a node that counts no rows of sessions refuses with INVALID_REQUEST.
   */
  default CompletableFuture<BoundRows> bound(Bound unusedQuestion) {
    return CompletableFuture.failedFuture(
        new RefusedException(ErrorCode.INVALID_REQUEST, "this node has no rows of sessions"));
  }

  /**
   * Keeps the rows of a partition for a tunnel, as the leader has them after a look as {@link
   * #look} says; a node that keeps no rows refuses with INVALID_REQUEST.
   */
  default CompletableFuture<Pinned> pin(Pin unusedQuestion) {
    return CompletableFuture.failedFuture(keepsNone());
  }

  /** Drops the rows that were kept for a tunnel; any node may be asked, again and again. */
  default CompletableFuture<Unpinned> unpin(Unpin unusedQuestion) {
    return CompletableFuture.failedFuture(keepsNone());
  }

  private static RefusedException keepsNone() {
    return new RefusedException(ErrorCode.INVALID_REQUEST, "this node keeps no rows of tunnels");
  }

  /** The answer to a question of any kind; a refusal fails the future, and is never thrown. */
  default CompletableFuture<? extends Part> answer(Question question) {
    try {
      if (question instanceof Where where) {
        return look(where);
      }
      if (question instanceof Behind behind) {
        return lags(behind);
      }
      if (question instanceof Bound bound) {
        return bound(bound);
      }
      if (question instanceof Pin pin) {
        return pin(pin);
      }
      if (question instanceof Unpin unpin) {
        return unpin(unpin);
      }
      int partition = question.partition();
      return verified(partition).thenApply(id -> new VerifiedUpTo(partition, id));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
