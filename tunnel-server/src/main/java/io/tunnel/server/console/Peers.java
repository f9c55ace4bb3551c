package io.tunnel.server.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.tunnel.codec.MalformedException;
import io.tunnel.server.forward.Forwarding;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.FigureValue;
import io.tunnel.wire.control.ClusterControl.GoneNode;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodeFigures;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The figures of the other nodes of a cluster. Each node is asked by DESCRIBE_NODE for a principal
 * that watches, so the answering node decides whether the principal may see its figures. The thread
 * of the snapshots never waits for an answer: a snapshot has the last one. The monitor of the core
 * guards the core; no other object is called under it.
 */
final class Peers {

  /** A node that does not answer within this time is asked again later. */
  static final Duration DEADLINE = Duration.ofSeconds(2);

  private static final byte[] QUESTION = Json.encode(new DescribeNode(NodePart.FIGURES));

  private final Forwarding forwarding;
  private final LongSupplier nanos;
  private final PeersCore<NodeFigures> core = new PeersCore<>();

  /**
   * Without answers.
   *
   * @param nanos a clock that never goes back
   */
  Peers(Forwarding forwarding, LongSupplier nanos) {
    this.forwarding = forwarding;
    this.nanos = nanos;
  }

  private long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong());
  }

  /** Somebody watches again: older answers say nothing. */
  void begin() {
    synchronized (core) {
      core.begin();
    }
  }

  /** Asks the nodes that are due, for a principal that watches. Call it every second. */
  void ask(ClusterDescription cluster, OnBehalf who) {
    List<String> others =
        cluster.nodes().stream()
            .map(NodeDescription::name)
            .filter(name -> !name.equals(cluster.node()))
            .toList();
    synchronized (core) {
      core.members(others, nowMs());
    }
    askDue(who);
  }

  private void askDue(OnBehalf who) {
    List<String> due;
    synchronized (core) {
      due = core.due(nowMs());
    }
    for (String node : due) {
      var unused =
          forwarding
              .ask(who, Optional.of(node), Operation.DESCRIBE_NODE, QUESTION, DEADLINE)
              .handle(
                  (payload, failure) -> {
                    if (failure == null) {
                      take(node, payload);
                    } else {
                      fail(node, failure);
                    }
                    // More nodes may be due than requests may be open.
                    askDue(who);
                    return true;
                  });
    }
  }

  private void take(String node, byte[] payload) {
    Optional<NodeFigures> figures;
    try {
      figures = Json.decode(payload, NodeStatus.class).figures();
    } catch (MalformedException e) {
      fail(node, e);
      return;
    }
    synchronized (core) {
      if (figures.isPresent()) {
        core.answered(node, figures.get(), nowMs());
      } else {
        core.failed(node, "the node runs without a console, and samples no figures", nowMs());
      }
    }
  }

  private void fail(String node, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    synchronized (core) {
      core.failed(node, String.valueOf(cause.getMessage()), nowMs());
    }
  }

  /** Figures of the other nodes that have answered lately. */
  List<NodeFigures> fresh(ClusterDescription cluster) {
    List<NodeFigures> all = new ArrayList<>();
    for (NodeDescription node : cluster.nodes()) {
      if (!node.name().equals(cluster.node())) {
        known(node.name()).figures().ifPresent(all::add);
      }
    }
    return all;
  }

  private PeersCore.Known<NodeFigures> known(String node) {
    synchronized (core) {
      return core.known(node, nowMs());
    }
  }

  /**
   * All nodes: this node, its peers, and nodes that have left.
   *
   * @param own the figures of this node
   */
  JsonArray toJson(ClusterDescription cluster, JsonObject own, long epochMs) {
    JsonArray nodes = new JsonArray();
    for (NodeDescription node : cluster.nodes()) {
      boolean isOwn = node.name().equals(cluster.node());
      PeersCore.Known<NodeFigures> known =
          isOwn
              ? new PeersCore.Known<>(Optional.empty(), Optional.empty(), Optional.empty())
              : known(node.name());
      JsonObject json = named(node.name(), node.address());
      if (isOwn) {
        json.addProperty("atMs", epochMs);
        json.add("figures", own.deepCopy());
      } else if (known.figures().isPresent()) {
        json.addProperty("atMs", known.figures().get().atMs());
        json.add("figures", toJson(known.figures().get()));
      }
      known.missingForMs().ifPresent(ms -> json.addProperty("missingSinceMs", epochMs - ms));
      known.why().ifPresent(why -> json.addProperty("why", why));
      nodes.add(json);
    }
    for (GoneNode gone : cluster.gone()) {
      JsonObject json = named(gone.name(), gone.address());
      json.addProperty("missingSinceMs", gone.lastSeenMs());
      json.addProperty("why", "the node has left the cluster");
      nodes.add(json);
    }
    return nodes;
  }

  private static JsonObject named(String name, String address) {
    JsonObject json = new JsonObject();
    json.addProperty("name", name);
    json.addProperty("address", address);
    for (String member : List.of("atMs", "figures", "missingSinceMs", "why")) {
      json.add(member, JsonNull.INSTANCE);
    }
    return json;
  }

  private static JsonObject toJson(NodeFigures of) {
    JsonObject figures = new JsonObject();
    for (Figure figure : Figure.values()) {
      Snapshots.add(figures, figure.member(), value(of, figure));
    }
    figures.addProperty(
        "worstTunnel",
        of.tunnels().isEmpty()
            ? null
            : of.tunnels().get(0).table() + "/" + of.tunnels().get(0).tunnel());
    return figures;
  }

  /** NaN for a figure that the node does not know. */
  static double value(NodeFigures of, Figure figure) {
    return of.values().stream()
        .filter(one -> one.name().equals(figure.member()))
        .mapToDouble(FigureValue::value)
        .findFirst()
        .orElse(Double.NaN);
  }
}
