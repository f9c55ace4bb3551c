package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.cluster.Membership;
import io.tunnel.server.cluster.NodeInfo;
import io.tunnel.server.cluster.Placement;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A node that lets the first of all nodes lead the catalog, and remembers what it is told. */
public class TestNode implements Membership.Node {

  private static final long SECONDS_MAX = 20;

  final BlockingQueue<Placement> placed = new LinkedBlockingQueue<>();
  public final BlockingQueue<String> lost = new LinkedBlockingQueue<>();
  public volatile BlockingQueue<String> refused = new LinkedBlockingQueue<>();
  public volatile NodeInfo info;

  public TestNode(String name, String incarnation) {
    info = new NodeInfo(name, incarnation, name + ":1", false, Set.of(), Set.of(), 1);
  }

  @Override
  public NodeInfo introduce() {
    return info;
  }

  @Override
  public Placement place(long generation, Collection<NodeInfo> nodes) {
    List<Placement.Member> members =
        nodes.stream()
            .map(
                node ->
                    new Placement.Member(
                        node.name(),
                        node.incarnation(),
                        node.address(),
                        node.isDraining(),
                        node.levelMax()))
            .toList();
    return new Placement(generation, members, Map.of(0, members.get(0).name()), Map.of());
  }

  @Override
  public void placed(Placement placement) {
    placed.add(placement);
  }

  @Override
  public void lost() {
    lost.add("lost");
  }

  @Override
  public void refused(String message) {
    refused.add(message);
  }

  /** The first placement that is as wished; those before it are forgotten. */
  public Placement placed(Predicate<Placement> wished) throws InterruptedException {
    while (true) {
      Placement placement = placed.poll(SECONDS_MAX, TimeUnit.SECONDS);
      assertThat(placement).as("a placement as wished is told").isNotNull();
      if (wished.test(placement)) {
        return placement;
      }
    }
  }

  public Placement placedWith(String... names) throws InterruptedException {
    List<String> wished = List.of(names);
    return placed(
        placement ->
            placement.nodes().stream().map(Placement.Member::name).toList().equals(wished));
  }
}
