package io.tunnel.cli.cluster;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.tunnel.sdk.cluster.GoneNode;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.ReplicaStatus;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.TextTable;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A cluster for people, one line a node, and for programs. */
final class ClusterReport {

  private static final String UNKNOWN = "?";
  private static final String NONE = "-";

  /**
   * What a narrow terminal does not show, the first first; who is there and how far behind, always.
   */
  private static final List<String> GIVING_WAY =
      List.of("GROUPS", "MAX", "CATALOG", "STANDBYS", "ADDRESS", "LEADS");

  /** Troubles that the table tells; the JSON has all. */
  private static final int TROUBLES_MAX = 10;

  private ClusterReport() {}

  /** One line a node, of at most {@code columnsMax} characters if that can be. */
  static List<String> lines(ClusterState state, int columnsMax) {
    TextTable table =
        new TextTable(
            "NODE",
            "ADDRESS",
            "STATE",
            ">LEADS",
            ">STANDBYS",
            ">GROUPS",
            "CATALOG",
            ">MAX",
            ">LAG");
    for (ClusterState.Node node : state.nodes()) {
      NodeInfo description = node.description();
      table.row(
          node.name(),
          description.address(),
          state(node),
          leads(node),
          Human.count(description.standbys().size()),
          Human.count(description.tunnelGroups()),
          description.isCatalogLeader() ? "leads" : "",
          Integer.toString(description.levelMax()),
          node.lag().isPresent() ? Human.count(node.lag().getAsLong()) : UNKNOWN);
    }
    for (GoneNode node : state.description().gone()) {
      table.row(
          node.name(),
          node.address(),
          "GONE, seen " + seen(node),
          NONE,
          NONE,
          NONE,
          "",
          UNKNOWN,
          UNKNOWN);
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        "cluster "
            + state.description().name()
            + " at level "
            + state.description().level()
            + ", placement "
            + state.description().generation()
            + ", as node "
            + state.description().node()
            + " sees it");
    lines.add("");
    lines.addAll(table.lines(columnsMax, GIVING_WAY));
    List<String> troubles = state.nodes().stream().flatMap(ClusterReport::troubles).toList();
    if (!troubles.isEmpty()) {
      lines.add("");
      troubles.stream().limit(TROUBLES_MAX).forEach(lines::add);
      if (troubles.size() > TROUBLES_MAX) {
        lines.add("and " + Human.count(troubles.size() - TROUBLES_MAX) + " more; see --json");
      }
    }
    return lines;
  }

  /** The placement may give a node partitions that the node does not lead, or not yet. */
  private static String leads(ClusterState.Node node) {
    int all = node.description().leads().size();
    int open = node.notLed().size();
    return open == 0 ? Human.count(all) : Human.count(all - open) + " of " + Human.count(all);
  }

  /** A line for each partition that the node does not lead, and for each replica that failed. */
  private static Stream<String> troubles(ClusterState.Node node) {
    Stream<String> open =
        node.notLed().stream()
            .map(
                partition ->
                    "partition %d has no leader: node %s is to lead it, and %s"
                        .formatted(
                            partition,
                            node.name(),
                            node.replica(partition)
                                .map(ClusterReport::standing)
                                .orElse("has no replica yet")));
    Stream<String> failed =
        node.status().stream()
            .flatMap(said -> said.replicas().stream())
            .filter(
                replica ->
                    replica.error().isPresent() && !node.notLed().contains(replica.partition()))
            .map(
                replica ->
                    "partition %d on node %s: the replica %s"
                        .formatted(replica.partition(), node.name(), standing(replica)));
    return Stream.concat(open, failed);
  }

  private static String standing(ReplicaStatus replica) {
    return "is "
        + replica.role().name()
        + replica
            .error()
            .map(why -> ": " + why)
            .orElse(", " + Human.count(replica.lag()) + " behind");
  }

  private static String state(ClusterState.Node node) {
    if (node.status().isEmpty()) {
      return "NO ANSWER";
    }
    if (!node.description().isDraining()) {
      return "UP";
    }
    return node.isEmpty() ? "DRAINED" : "DRAINING";
  }

  static JsonObject json(ClusterState state) {
    JsonObject json = new JsonObject();
    json.addProperty("cluster", state.description().name());
    json.addProperty("level", state.description().level());
    json.addProperty("generation", state.description().generation());
    json.addProperty("asked", state.description().node());
    JsonArray nodes = new JsonArray();
    state.nodes().forEach(node -> nodes.add(json(node)));
    json.add("nodes", nodes);
    JsonArray gone = new JsonArray();
    state.description().gone().forEach(node -> gone.add(json(node)));
    json.add("gone", gone);
    return json;
  }

  private static JsonObject json(GoneNode node) {
    JsonObject json = new JsonObject();
    json.addProperty("node", node.name());
    json.addProperty("address", node.address());
    json.addProperty("lastSeen", node.lastSeen().toString());
    return json;
  }

  private static String seen(GoneNode node) {
    return node.lastSeen().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static JsonObject json(ClusterState.Node node) {
    NodeInfo description = node.description();
    JsonObject json = new JsonObject();
    json.addProperty("node", description.name());
    json.addProperty("address", description.address());
    json.addProperty("incarnation", description.incarnation());
    json.addProperty("state", state(node));
    json.addProperty("isDraining", description.isDraining());
    json.add("leads", array(description.leads()));
    json.add("notLed", node.status().isPresent() ? array(node.notLed()) : null);
    json.add("standbys", array(description.standbys()));
    json.addProperty("tunnelGroups", description.tunnelGroups());
    json.addProperty("isCatalogLeader", description.isCatalogLeader());
    json.addProperty("levelMax", description.levelMax());
    json.addProperty("lag", node.lag().isPresent() ? node.lag().getAsLong() : null);
    json.add("replicas", replicas(node));
    return json;
  }

  private static JsonArray array(List<Integer> partitions) {
    JsonArray array = new JsonArray();
    partitions.forEach(array::add);
    return array;
  }

  private static JsonElement replicas(ClusterState.Node node) {
    JsonArray array = new JsonArray();
    node.status().ifPresent(said -> said.replicas().forEach(replica -> array.add(json(replica))));
    return array;
  }

  private static JsonObject json(ReplicaStatus replica) {
    JsonObject json = new JsonObject();
    json.addProperty("partition", replica.partition());
    json.addProperty("role", replica.role().name());
    json.addProperty("epoch", replica.epoch());
    json.addProperty("next", replica.next());
    json.addProperty("end", replica.end() < 0 ? null : replica.end());
    json.addProperty("lag", replica.lag() < 0 ? null : replica.lag());
    json.addProperty("error", replica.error().orElse(null));
    return json;
  }
}
