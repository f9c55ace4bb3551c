package io.tunnel.server.kafka;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * Which names the nodes of a cluster have. Kafka does not say when it last heard of a member, only
 * that it is one; but one that is dead is none any more when a session is over.
 */
final class NodeNames {

  private static final long LOOK_MS = 100;

  private final KafkaConfig config;
  private final Admin admin;
  private final Shard.Clock clock;

  NodeNames(KafkaConfig config, Admin admin, Shard.Clock clock) {
    this.config = config;
    this.admin = admin;
    this.clock = clock;
  }

  /**
   * Waits until no member has the name, at most a session and what it takes Kafka to notice.
   *
   * @throws NodeNameTakenException when one still has it then
   */
  void requireFree(String name) {
    long waitMs = config.times().sessionMs() + config.times().sessionMs() / 2L;
    long deadlineNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    CountDownLatch never = new CountDownLatch(1);
    try {
      for (Optional<MemberDescription> holder = holder(name);
          holder.isPresent();
          holder = holder(name)) {
        if (clock.nanos() - deadlineNanos > 0) {
          throw new NodeNameTakenException(
              "node "
                  + name
                  + " is a member of cluster "
                  + config.cluster()
                  + " already, at "
                  + holder.get().host()
                  + ", and alive; give this node another name, or stop that one");
        }
        never.await(LOOK_MS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RefusedException(ErrorCode.SHUTTING_DOWN, "interrupted while joining the cluster");
    }
  }

  private Optional<MemberDescription> holder(String name) throws InterruptedException {
    String group = KafkaMembership.group(config.cluster());
    try {
      ConsumerGroupDescription described =
          admin.describeConsumerGroups(List.of(group)).all().get().get(group);
      return described.members().stream()
          .filter(member -> member.groupInstanceId().equals(Optional.of(name)))
          .findFirst();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return Optional.empty();
      }
      IOException failure = Answers.failure("say who is in group " + group, e.getCause());
      RefusedException refused =
          new RefusedException(ErrorCode.LOG_UNAVAILABLE, failure.getMessage());
      refused.initCause(failure);
      throw refused;
    }
  }
}
