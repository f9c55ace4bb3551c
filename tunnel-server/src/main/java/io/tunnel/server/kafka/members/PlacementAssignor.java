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
 * Carries introductions and placements between nodes through their consumer group: each member
 * introduces itself when it joins, one member decides for all, and Kafka tells all members the
 * placement. No partition of Kafka is ever assigned. Public because Kafka instantiates it.
 */
public final class PlacementAssignor implements ConsumerPartitionAssignor, Configurable {

  /** The setting that holds the {@link Member}. */
  static final String MEMBER = "tunnel.member";

  private static final Logger LOG = LoggerFactory.getLogger(PlacementAssignor.class);

  private Member member;

  /** The node's side of the group; called by the thread that polls. */
  interface Member {

    /** Introduces this node. */
    Said say();

    /** Decides a placement with this generation. */
    Placement decide(long generation, List<NodeInfo> nodes);

    /** The least generation of a new placement. */
    long generationMin();

    /** Hears a placement. */
    void told(Placement placement, String memberId);
  }

  /** For Kafka, which calls it by reflection. */
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
        LOG.warn(
            "ignoring member {} of the group: its introduction is not of this version",
            one.getKey(),
            e);
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
      throw new IllegalStateException("the group sent a placement that is not of this version", e);
    }
  }
}
