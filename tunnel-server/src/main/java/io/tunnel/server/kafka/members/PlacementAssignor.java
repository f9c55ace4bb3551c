package io.tunnel.server.kafka.members;

import io.tunnel.server.cluster.NodeInfo;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.kafka.members.MemberFormat.Said;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How nodes talk to each other through their group: each says what it is when it joins, one decides
 * for all, all are told. No partition of Kafka is ever assigned. Public because Kafka makes it.
 */
public final class PlacementAssignor implements ConsumerPartitionAssignor, Configurable {

  /** The setting that carries the {@link Member} that this works for. */
  static final String MEMBER = "tunnel.member";

  private static final Logger LOG = LoggerFactory.getLogger(PlacementAssignor.class);

  private Member member;

  /** For whom; called by the thread that polls. */
  interface Member {

    /** What to say. */
    Said say();

    /** Decides; the placement's generation is {@code generation}. */
    Placement decide(long generation, List<NodeInfo> nodes);

    /** The least generation of a new decision. */
    long generationMin();

    /** What was decided. */
    void told(Placement placement, String memberId);
  }

  /** For Kafka. */
  public PlacementAssignor() {}

  @Override
  public void configure(Map<String, ?> settings) {
    member = (Member) Objects.requireNonNull(settings.get(MEMBER), MEMBER);
  }

  @Override
  public String name() {
    return "tunnel-placement-1";
  }

  @Override
  public List<RebalanceProtocol> supportedProtocols() {
    return List.of(RebalanceProtocol.EAGER);
  }

  @Override
  public ByteBuffer subscriptionUserData(Set<String> topics) {
    return MemberFormat.encode(member.say());
  }

  @Override
  public GroupAssignment assign(Cluster kafka, GroupSubscription subscriptions) {
    List<NodeInfo> nodes = new ArrayList<>();
    long generation = member.generationMin();
    for (Map.Entry<String, Subscription> one : subscriptions.groupSubscription().entrySet()) {
      try {
        Said said = MemberFormat.said(one.getValue().userData());
        nodes.add(said.node());
        generation = Math.max(generation, said.seen() + 1);
      } catch (IOException e) {
        LOG.warn("member {} of the group is not a node that we understand", one.getKey(), e);
      }
    }
    nodes.sort(Comparator.comparing(NodeInfo::name));
    ByteBuffer placement = MemberFormat.encode(member.decide(generation, List.copyOf(nodes)));
    Map<String, Assignment> assignments = new HashMap<>();
    subscriptions
        .groupSubscription()
        .keySet()
        .forEach(id -> assignments.put(id, new Assignment(List.of(), placement.duplicate())));
    return new GroupAssignment(assignments);
  }

  @Override
  public void onAssignment(Assignment assignment, ConsumerGroupMetadata group) {
    try {
      member.told(MemberFormat.placement(assignment.userData()), group.memberId());
    } catch (IOException e) {
      throw new IllegalStateException("the group was told what we do not understand", e);
    }
  }
}
