package io.tunnel.server.kafka.members;

import io.tunnel.server.cluster.Membership;
import io.tunnel.server.cluster.NodeInfo;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.kafka.AdminFutures;
import io.tunnel.server.kafka.ClientSettings;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.kafka.KafkaTopics;
import io.tunnel.server.kafka.members.MemberFormat.Said;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidSessionTimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node as a member of the consumer group of its cluster, under its name. Kafka fences the older
 * of two members with one name. The newer one may be the same node: Kafka can accept a request to
 * join that the node had abandoned. So a fenced member joins again, and stops when the next
 * placement names another process. One thread polls, and calls the node.
 */
public final class KafkaMembership implements Membership, PlacementAssignor.Member {

  private static final Logger LOG = LoggerFactory.getLogger(KafkaMembership.class);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(3);
  private static final int HEARTBEAT_MS_MAX = 300;
  private static final long BACKOFF_MS = 500;

  /** A process gives up after so many fencings in a row by a namesake. */
  private static final int FENCED_IN_A_ROW_MAX = 5;

  private final String group;
  private final Admin admin;
  private final String name;
  private final int sessionMs;
  private final Supplier<Node> node;
  private final Shard.Clock clock;
  private final KafkaConfig config;
  private final Thread thread;

  /** Whether a placement was asked for that no rebalance has begun for yet; set by any thread. */
  private final AtomicBoolean isAsked = new AtomicBoolean();

  /** Whether this node has removed another: the group then waits for the rest to join again. */
  private final AtomicBoolean hasRemoved = new AtomicBoolean();

  private final CountDownLatch closing = new CountDownLatch(1);

  private volatile Consumer<byte[], byte[]> consumer;
  private HeartbeatCount heartbeats;

  /** The process that the last placement named under this node's name. */
  private Optional<String> former = Optional.empty();

  private int fencedInARow;

  /** Generation of the newest placement that this node received; -1 before the first. */
  private long seen = -1;

  /** How many placements this node asked for. */
  private long asked;

  private Optional<String> incarnation = Optional.empty();
  private String memberId = "";

  /** Moved by the membership's thread. */
  private Standing standing = Standing.NEW;

  /** Moved by the membership's thread. */
  private Rebalance rebalance = Rebalance.UNDER_WAY;

  private final AtomicReference<End> end = new AtomicReference<>(End.NONE);

  /** How the group sees this node. */
  private enum Standing {
    /** The group has never told this node a placement. Next: MEMBER. */
    NEW,
    /** Told a placement, and heard the group since. Next: LOST. */
    MEMBER,
    /** Was a member; fenced, silent or forgotten. Next: MEMBER. */
    LOST
  }

  /** Whether the group is deciding. */
  private enum Rebalance {
    /** The fenced consumer is closed, and a new one is about to replace it. Next: UNDER_WAY. */
    DISCONNECTED,
    /** A placement is being decided, by introductions that were sent. Next: OVER, DISCONNECTED. */
    UNDER_WAY,
    /** The last placement was delivered. Next: UNDER_WAY, DISCONNECTED. */
    OVER
  }

  /** How this membership ends. */
  private enum End {
    /** It does not end. */
    NONE,
    /** Leaves the group, so that other nodes take over at once. */
    LEAVE,
    /** Ends without a word to the group, like a killed process. */
    ABANDON
  }

  /** A member that joins with {@link #start}. */
  public KafkaMembership(
      KafkaConfig config, Admin admin, String name, Supplier<Node> node, Shard.Clock clock) {
    this.config = config;
    this.group = group(config.cluster());
    this.admin = admin;
    this.name = name;
    this.node = node;
    this.clock = clock;
    this.sessionMs = config.times().sessionMs();
    connect();
    this.thread = new Thread(this::run, "kafka-member");
    thread.setDaemon(true);
  }

  /** Makes a consumer, which is a new member to Kafka until it sends its name. */
  private void connect() {
    String clientId = NodeNames.clientId(group, name, node.get().introduce().address());
    int heartbeatMs = Math.min(HEARTBEAT_MS_MAX, sessionMs / 3);
    Map<String, Object> settings = new ClientSettings(config).member(group, name, heartbeatMs);
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
    settings.put(PlacementAssignor.MEMBER, this);
    Consumer<byte[], byte[]> connected =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    heartbeats =
        new HeartbeatCount(
            connected, TimeUnit.MILLISECONDS.toNanos(sessionMs + (long) heartbeatMs));
    heartbeats.heard(clock.nanos());
    connected.subscribe(List.of(KafkaTopics.catalog(config.cluster())));
    consumer = connected;
  }

  /** The consumer group of the nodes of a cluster. */
  public static String group(String cluster) {
    return cluster + ".nodes";
  }

  /** Joins the group, on a thread of its own. */
  public void start() {
    thread.start();
  }

  @Override
  public void decideAgain() {
    isAsked.set(true);
  }

  @Override
  public void evict(String gone) {
    RemoveMembersFromConsumerGroupOptions member =
        new RemoveMembersFromConsumerGroupOptions(Set.of(new MemberToRemove(gone)));
    member.reason("node " + name + " found it gone");
    AdminFutures.of(
            "remove node " + gone + " from its group",
            admin.removeMembersFromConsumerGroup(group, member).all())
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                // Another node may have removed it first; if none did, its session ends by itself.
                LOG.info("{}", failure.getMessage());
              } else {
                // Joins now rather than after the next heartbeat's answer.
                hasRemoved.set(true);
              }
            });
  }

  private void run() {
    try {
      heartbeats.heard(clock.nanos());
      while (end.get() == End.NONE) {
        step();
      }
    } catch (RuntimeException | Error e) {
      // Without this thread the node would hear no placement, nor that other nodes take over.
      node.get().refused("node " + name + " cannot follow its cluster any more: " + e);
      throw e;
    } finally {
      leave();
    }
  }

  private void step() {
    try {
      if (rebalance == Rebalance.DISCONNECTED) {
        connect();
        rebalance = Rebalance.UNDER_WAY;
      }
      // During a rebalance the introductions that were sent may be stale, so the next one is
      // asked for when this one is over.
      if (rebalance == Rebalance.OVER
          && (isAsked.getAndSet(false) || hasRemoved.getAndSet(false))) {
        asked++;
        rebalance = Rebalance.UNDER_WAY;
        consumer.enforceRebalance("asked by node " + name);
      }
      consumer.poll(POLL);
      if (standing == Standing.MEMBER && heartbeats.look(clock.nanos())) {
        lost();
        // If the group has not forgotten this node, only a question brings a placement.
        rebalance = Rebalance.OVER;
        isAsked.set(true);
      }
    } catch (WakeupException e) {
      // close() woke the poll.
    } catch (FencedInstanceIdException e) {
      fenced(e);
    } catch (InvalidSessionTimeoutException e) {
      refused(
          "the brokers do not accept sessions of "
              + sessionMs
              + " ms; set --session-ms to a value between their"
              + " group.min.session.timeout.ms (6000 unless it is set) and"
              + " group.max.session.timeout.ms, or change these settings of the brokers",
          e);
    } catch (AuthorizationException | InconsistentGroupProtocolException e) {
      if (standing == Standing.NEW) {
        refused("Kafka does not let node " + name + " join group " + group + ": " + reason(e), e);
      } else {
        await(e);
      }
    } catch (InterruptException e) {
      LOG.warn("interrupted; node {} leaves the group", name);
      end(End.LEAVE);
    } catch (RuntimeException e) {
      await(e);
    }
  }

  /**
   * Replaces the consumer, which the group ignores from now on. Kafka does not tell whether a
   * request of this node or of another process fenced it; the next placement names that process.
   */
  private void fenced(FencedInstanceIdException cause) {
    if (standing == Standing.MEMBER) {
      lost();
    }
    fencedInARow++;
    if (fencedInARow > FENCED_IN_A_ROW_MAX) {
      refused(nameIsTaken(), cause);
      return;
    }
    LOG.warn(
        "node {} was fenced, by a late request of its own or by a namesake; joining again", name);
    rebalance = Rebalance.DISCONNECTED;
    try {
      consumer.close(leaving(GroupMembershipOperation.REMAIN_IN_GROUP));
    } catch (KafkaException e) {
      LOG.info(
          "cannot close the fenced consumer of node {} cleanly; continuing with a new one",
          name,
          e);
    }
  }

  private String nameIsTaken() {
    return "another node has joined the cluster as "
        + name
        + "; give each node a unique name and restart this node";
  }

  private static String reason(RuntimeException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  /** Waits before the next attempt: the trouble may pass. */
  private void await(RuntimeException cause) {
    LOG.warn(
        "node {} cannot take part in its group: {}; will retry in {} ms",
        name,
        reason(cause),
        BACKOFF_MS,
        cause);
    try {
      if (closing.await(BACKOFF_MS, TimeUnit.MILLISECONDS)) {
        LOG.debug("node {} is closed", name);
      }
    } catch (InterruptedException e) {
      LOG.warn("interrupted; node {} leaves the group", name);
      end(End.LEAVE);
    }
  }

  private void lost() {
    standing = Standing.LOST;
    LOG.warn("the group has forgotten node {}, or cannot be reached; joining again", name);
    node.get().lost();
  }

  private void refused(String message, KafkaException cause) {
    end(End.LEAVE);
    LOG.error("node {} is out of its cluster for good: {}", name, message, cause);
    node.get().refused(message);
  }

  @Override
  public Said say() {
    // Facts that change from now on need another rebalance.
    rebalance = Rebalance.UNDER_WAY;
    NodeInfo info = node.get().introduce();
    incarnation = Optional.of(info.incarnation());
    return new Said(info, seen, asked);
  }

  /** A clock, so it grows even when all nodes were away and none knows the last placement. */
  @Override
  public long generationMin() {
    return TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
  }

  @Override
  public Placement decide(long generation, List<NodeInfo> nodes) {
    return node.get().place(generation, nodes);
  }

  @Override
  public void told(Placement placement, String newMemberId) {
    if (standing == Standing.MEMBER && !newMemberId.equals(memberId)) {
      lost();
    }
    heartbeats.heard(clock.nanos());
    hasRemoved.set(false);
    memberId = newMemberId;
    standing = Standing.MEMBER;
    rebalance = Rebalance.OVER;
    seen = Math.max(seen, placement.generation());
    Optional<String> decided = placement.node(name).map(Placement.Member::incarnation);
    if (decided.equals(incarnation)) {
      fencedInARow = 0;
      former = incarnation;
      node.get().placed(placement);
    } else if (decided.isEmpty() || former.isEmpty() || decided.equals(former)) {
      // Kafka takes a member that comes back under its name for the former member, and repeats
      // the former placement.
      former = decided;
      isAsked.set(true);
    } else {
      refused(nameIsTaken(), new FencedInstanceIdException("decided for " + decided.get()));
    }
  }

  private void leave() {
    GroupMembershipOperation operation =
        end.get() == End.ABANDON
            ? GroupMembershipOperation.REMAIN_IN_GROUP
            : GroupMembershipOperation.LEAVE_GROUP;
    consumer.close(leaving(operation));
  }

  private static CloseOptions leaving(GroupMembershipOperation operation) {
    return CloseOptions.timeout(CLOSE_MAX).withGroupMembershipOperation(operation);
  }

  /** Ends like a killed process, without a word to the group. For tests. */
  void abandon() throws IOException {
    end(End.ABANDON);
    close();
  }

  private void end(End how) {
    end.compareAndSet(End.NONE, how);
  }

  /** Leaves the group, so that other nodes take over at once. Idempotent. */
  @Override
  public void close() throws IOException {
    end(End.LEAVE);
    closing.countDown();
    consumer.wakeup();
    if (Thread.currentThread() != thread) {
      try {
        thread.join(2 * CLOSE_MAX.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
