package io.tunnel.sdk;

import io.tunnel.sdk.answer.ClusterAnswers;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.NodeStatus;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;

/**
 * For operators: the nodes of a cluster, what each of them leads and how far its replicas are, and
 * emptying one before it is stopped. Thread-safe.
 *
 * <p>Its methods throw {@link io.tunnel.model.RefusedException} when the server refuses, with
 * {@code INVALID_REQUEST} when it is no cluster, and {@link ConnectionException} when it cannot be
 * reached or does not answer, after they have repeated the request for {@link
 * ClientConfig#retryDeadline}.
 */
public final class ClusterClient implements AutoCloseable {

  private static final byte[] NOTHING = {};

  private final EventLoops loops;
  private final Nodes nodes;
  private final Caller caller;

  /** A client of the cluster whose nodes are at {@code endpoints}, or some of them. */
  public ClusterClient(String endpoints) {
    this(ClientConfig.of(endpoints));
  }

  /** A client with its configuration; it connects when it is first used. */
  public ClusterClient(ClientConfig config) {
    Ticker ticker = new SystemClock();
    LoadedConfig loaded = LoadedConfig.of(config); // First: it may throw.
    this.loops = EventLoops.start(1);
    this.nodes = new Nodes(loaded, loops, ticker);
    this.caller = new Caller(nodes, ticker);
  }

  /** The nodes and what each does, as one of them sees it. */
  public ClusterInfo describeCluster() {
    byte[] answer = caller.awaitAnswer(Operation.DESCRIBE_CLUSTER, NOTHING);
    return ClusterAnswers.cluster(Json.decode(answer, ClusterDescription.class));
  }

  /**
   * What that node keeps replicas of, as it says itself.
   *
   * @param address the node's, as {@link #describeCluster} says it
   * @throws IllegalArgumentException when that is no endpoint
   */
  public NodeStatus nodeStatus(String address) {
    return ClusterAnswers.status(
        ask(address, Operation.DESCRIBE_NODE, NOTHING, ClusterControl.NodeStatus.class));
  }

  /**
   * Tells that node to give up all that it leads, or to take part again; it returns when the node
   * has heard of it, and what it leads shows when it is done. Repeating it does no harm.
   *
   * @param address the node's, as {@link #describeCluster} says it
   * @param isDraining whether it is to be emptied
   * @throws IllegalArgumentException when that is no endpoint
   */
  public void drain(String address, boolean isDraining) {
    byte[] payload = Json.encode(new DrainNode(isDraining));
    var unused = ask(address, Operation.DRAIN_NODE, payload, Control.Empty.class);
  }

  private <T extends Control> T ask(
      String address, Operation operation, byte[] payload, Class<T> type) {
    EventLoops.requireMayBlock("waiting for " + operation);
    Endpoint node = Endpoint.of(address);
    return Json.decode(Caller.await(caller.askAt(node, operation, payload)).payload(), type);
  }

  /** Closes the connections. Idempotent. */
  @Override
  public void close() {
    nodes.close();
    loops.close();
  }
}
