package io.tunnel.server.kafka.members;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.cluster.PeerProbe;
import io.tunnel.server.cluster.PeerProbe.Presence;
import io.tunnel.server.kafka.AdminFutures;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.kafka.LogUnavailableException;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that no living node has a name. Kafka does not tell when it last heard from a member; but
 * a dead member leaves the group when its session ends. If nothing listens at a member's address,
 * which its client id contains, this class removes the member sooner. A member that lives after all
 * joins again, and Kafka fences one of the two.
 */
public final class NodeNames {

  private static final Logger LOG = LoggerFactory.getLogger(NodeNames.class);

  private static final long LOOK_MS = 100;

  /**
   * Time that an answering member may take to end before its name counts as taken, in milliseconds.
   */
  private static final long ENDING_MS_MAX = 2_000;

  /** How long the look into the group is repeated while Kafka does not answer, in milliseconds. */
  private static final long LOOK_MS_MAX = 60_000;

  private static final char ADDRESS_MARK = '@';

  private final KafkaConfig config;
  private final Admin admin;
  private final Shard.Clock clock;

  /** Nothing counts down: to wait here is to pause. */
  private final CountDownLatch never = new CountDownLatch(1);

  /** Looks into the group of a cluster with {@code admin}. */
  public NodeNames(KafkaConfig config, Admin admin, Shard.Clock clock) {
    this.config = config;
    this.admin = admin;
    this.clock = clock;
  }

  /** The client id of a member of this name. */
  static String clientId(String group, String name, String address) {
    return group + "-" + name + ADDRESS_MARK + address;
  }

  /**
   * Waits until no member has the name: at most a session, and the time that Kafka takes to notice.
   * A Kafka that does not answer is asked again for a minute.
   *
   * @param address address of the node that wants the name; no other node can be there
   * @throws NodeNameTakenException when a member still has the name then
   */
  public void requireFree(String name, String address) {
    long beganNanos = clock.nanos();
    long waitMs = config.times().sessionMs() + config.times().sessionMs() / 2L;
    try {
      for (Optional<MemberDescription> holder = holder(name);
          holder.isPresent();
          holder = holder(name)) {
        Presence answer = ask(holder.get(), name, address);
        if (answer == Presence.GONE) {
          evict(name);
        }
        long waitedMs = TimeUnit.NANOSECONDS.toMillis(clock.nanos() - beganNanos);
        if (waitedMs > (answer == Presence.ALIVE ? Math.min(ENDING_MS_MAX, waitMs) : waitMs)) {
          throw new NodeNameTakenException(
              "node "
                  + name
                  + " is a member of cluster "
                  + config.cluster()
                  + " already, at "
                  + holder.get().host().replaceFirst("^/", "")
                  + ", and alive; rename this node, or stop the living one");
        }
        never.await(LOOK_MS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RefusedException(ErrorCode.SHUTTING_DOWN, "interrupted while joining the cluster");
    }
  }

  private static Presence ask(MemberDescription holder, String name, String address) {
    String id = holder.clientId();
    String former = id.substring(id.lastIndexOf(ADDRESS_MARK) + 1);
    return former.equals(address) ? Presence.GONE : PeerProbe.ask(former, name);
  }

  private void evict(String name) throws InterruptedException {
    LOG.info("the former process of node {} has ended; removing it from the group", name);
    RemoveMembersFromConsumerGroupOptions member =
        new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove(name)));
    member.reason("node " + name + " starts again");
    try {
      admin
          .removeMembersFromConsumerGroup(KafkaMembership.group(config.cluster()), member)
          .all()
          .get();
    } catch (ExecutionException e) {
      // Another node may have removed it first; if none did, its session ends by itself.
      LOG.info(
          "cannot remove node {} from the group: {}; waiting for the end of its session",
          name,
          e.getCause().getMessage());
    }
  }

  private Optional<MemberDescription> holder(String name) throws InterruptedException {
    String group = KafkaMembership.group(config.cluster());
    long beganNanos = clock.nanos();
    while (true) {
      try {
        return holder(name, group);
      } catch (IOException e) {
        long waitedMs = TimeUnit.NANOSECONDS.toMillis(clock.nanos() - beganNanos);
        if (!(e instanceof LogUnavailableException) || waitedMs >= LOOK_MS_MAX) {
          throw new RefusedException(
              ErrorCode.LOG_UNAVAILABLE,
              e.getMessage() + " (Kafka at " + config.bootstrap() + ")",
              e);
        }
        LOG.warn("{}; Kafka at {} is asked again", e.getMessage(), config.bootstrap());
        boolean unused = never.await(LOOK_MS, TimeUnit.MILLISECONDS);
      }
    }
  }

  private Optional<MemberDescription> holder(String name, String group)
      throws IOException, InterruptedException {
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
      throw AdminFutures.failure("list the members of group " + group, e.getCause());
    }
  }
}
