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
 * A node as a member of the consumer group of its cluster, under its name: Kafka fences the older
 * of two with one name. The newer may be the same node: a request to join that it had given up, and
 * that Kafka took nevertheless; so who is fenced joins again, and stops when it was decided for
 * another process. One thread polls, and calls the node.
 */
public final class KafkaMembership implements Membership, PlacementAssignor.Member {

  private static final Logger LOG = LoggerFactory.getLogger(KafkaMembership.class);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(3);
  private static final int HEARTBEAT_MS_MAX = 300;
  private static final long BACKOFF_MS = 500;

  /** Of two processes with one name that fence each other, one gives up. */
  private static final int FENCED_IN_A_ROW_MAX = 5;

  private final String group;
  private final Admin admin;
  private final String name;
  private final int sessionMs;
  private final Supplier<Node> node;
  private final Shard.Clock clock;
  private final KafkaConfig config;
  private final Thread thread;
  private final AtomicBoolean isAsked = new AtomicBoolean();

  /** Whether this node has removed another, so that the group waits for those who are left. */
  private final AtomicBoolean hasRemoved = new AtomicBoolean();

  private final CountDownLatch closing = new CountDownLatch(1);

  private volatile Consumer<byte[], byte[]> consumer;
  private HeartbeatCount heartbeats;

  /** The process that was decided for last under this node's name, as far as it was told. */
  private Optional<String> former = Optional.empty();

  private int fencedInARow;

  /** Whether the consumer is closed; another may not be made at once, as when names are unknown. */
  private boolean mustConnect;

  private long seen = -1;
  private long asked;
  private Optional<String> incarnation = Optional.empty();
  private boolean isDeciding = true;
  private boolean isMember;
  private boolean wasMember;
  private String memberId = "";
  private volatile boolean isClosed;
  private volatile boolean isAbandoned;

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

  /** A new member, as far as Kafka can tell, until it says its name. */
  private void connect() {
    String clientId = NodeNames.clientId(group, name, node.get().info().address());
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

  /** The consumer group that the nodes of a cluster are members of. */
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
                // Also when somebody was faster. If not, its session ends as any other.
                LOG.info("{}", failure.getMessage());
              } else {
                // Otherwise the next heartbeat's answer would say that there is something to join.
                hasRemoved.set(true);
              }
            });
  }

  private void run() {
    try {
      heartbeats.heard(clock.nanos());
      while (!isClosed) {
        step();
      }
    } catch (RuntimeException | Error e) {
      // Nobody would tell this node any more what it is to lead, nor that others do.
      node.get().refused("node " + name + " cannot follow its cluster any more: " + e);
      throw e;
    } finally {
      leave();
    }
  }

  private void step() {
    try {
      if (mustConnect) {
        connect();
        mustConnect = false;
      }
      // While a decision is under way, what was said for it may be old: asked again behind it.
      if (!isDeciding && (isAsked.getAndSet(false) || hasRemoved.getAndSet(false))) {
        asked++;
        isDeciding = true;
        consumer.enforceRebalance("asked by node " + name);
      }
      consumer.poll(POLL);
      if (isMember && heartbeats.isSilent(clock.nanos())) {
        lost();
        // If the group has not forgotten it after all, nothing else would tell it where it stands.
        isDeciding = false;
        isAsked.set(true);
      }
    } catch (WakeupException e) {
      // To be closed.
    } catch (FencedInstanceIdException e) {
      fenced(e);
    } catch (InvalidSessionTimeoutException e) {
      refused(
          "the brokers do not take "
              + sessionMs
              + " ms as length of a session; give --session-ms a value between their"
              + " group.min.session.timeout.ms (6000 unless it is set) and"
              + " group.max.session.timeout.ms, or change those in the brokers' configuration",
          e);
    } catch (AuthorizationException | InconsistentGroupProtocolException e) {
      if (wasMember) {
        await(e);
      } else {
        refused("Kafka does not take node " + name + " into group " + group + ": " + reason(e), e);
      }
    } catch (InterruptException e) {
      LOG.warn("interrupted; node {} leaves the group", name);
      isClosed = true;
    } catch (RuntimeException e) {
      await(e);
    }
  }

  /**
   * What this consumer has of the group is worth nothing any more. Kafka does not tell whose
   * request it was: one of this node itself, or of another process. The next decision names that
   * one.
   */
  private void fenced(FencedInstanceIdException cause) {
    if (isMember) {
      lost();
    }
    fencedInARow++;
    if (fencedInARow > FENCED_IN_A_ROW_MAX) {
      refused(nameIsTaken(), cause);
      return;
    }
    LOG.warn("node {} was fenced: by a request of its own that came late, or by a namesake", name);
    mustConnect = true;
    isDeciding = true;
    try {
      consumer.close(leaving(GroupMembershipOperation.REMAIN_IN_GROUP));
    } catch (KafkaException e) {
      LOG.info("the consumer of node {} that was fenced did not close cleanly", name, e);
    }
  }

  private String nameIsTaken() {
    return "another node has joined the cluster as "
        + name
        + "; give each node a name of its own and start this one again";
  }

  private static String reason(KafkaException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  /** Whatever this is, it may pass. */
  private void await(RuntimeException cause) {
    LOG.warn("node {} is not in its group for the moment", name, cause);
    try {
      if (closing.await(BACKOFF_MS, TimeUnit.MILLISECONDS)) {
        LOG.debug("node {} is closed", name);
      }
    } catch (InterruptedException e) {
      LOG.warn("interrupted; node {} leaves the group", name);
      isClosed = true;
    }
  }

  private void lost() {
    isMember = false;
    LOG.warn("node {} is not known to its group any more, or cannot reach it", name);
    node.get().lost();
  }

  private void refused(String message, KafkaException cause) {
    isClosed = true;
    LOG.error("node {} is out of its cluster for good", name, cause);
    node.get().refused(message);
  }

  @Override
  public Said say() {
    // Whatever is asked for later may not be in it.
    isDeciding = true;
    NodeInfo info = node.get().info();
    incarnation = Optional.of(info.incarnation());
    return new Said(info, seen, asked);
  }

  /** Grows also when all nodes were away and nobody remembers the last decision. */
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
    if (isMember && !newMemberId.equals(memberId)) {
      lost();
    }
    heartbeats.heard(clock.nanos());
    hasRemoved.set(false);
    memberId = newMemberId;
    isMember = true;
    wasMember = true;
    isDeciding = false;
    seen = Math.max(seen, placement.generation());
    Optional<String> decided = placement.node(name).map(Placement.Member::incarnation);
    if (decided.equals(incarnation)) {
      fencedInARow = 0;
      former = incarnation;
      node.get().placed(placement);
    } else if (decided.isEmpty() || former.isEmpty() || decided.equals(former)) {
      // Kafka takes a member that comes back under its name for its former self, and repeats what
      // was decided.
      former = decided;
      isAsked.set(true);
    } else {
      refused(nameIsTaken(), new FencedInstanceIdException("decided for " + decided.get()));
    }
  }

  private void leave() {
    GroupMembershipOperation operation =
        isAbandoned
            ? GroupMembershipOperation.REMAIN_IN_GROUP
            : GroupMembershipOperation.LEAVE_GROUP;
    consumer.close(leaving(operation));
  }

  private static CloseOptions leaving(GroupMembershipOperation operation) {
    return CloseOptions.timeout(CLOSE_MAX).withGroupMembershipOperation(operation);
  }

  /** Ends as a process that is killed does: nobody is told. For tests. */
  void abandon() throws IOException {
    isAbandoned = true;
    close();
  }

  /** Leaves the group, so that others take over at once. Idempotent. */
  @Override
  public void close() throws IOException {
    isClosed = true;
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
