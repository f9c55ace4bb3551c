package io.tunnel.sdk;

import io.tunnel.sdk.answer.ClusterAnswers;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.ClusterLevels;
import io.tunnel.sdk.cluster.NodeStatus;
import io.tunnel.sdk.cluster.RowSessionInfo;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.ClientPort;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Subject;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.Upgrade;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Shows operators the nodes of a cluster, their roles and the progress of their replicas; empties a
 * node before a stop; lists and ends the sessions of bound rows. Thread-safe.
 *
 * <p>Methods throw {@link io.tunnel.model.RefusedException} when the server refuses, with {@code
 * INVALID_REQUEST} when the server is no cluster. They throw {@link ConnectionException} when the
 * server cannot be reached or does not answer, after retries for {@link
 * ClientConfig#retryDeadline}.
 */
public final class ClusterClient implements AutoCloseable {

  private static final byte[] NOTHING = {};

  private final Nodes nodes;
  private final Caller caller;

  /** A client of the cluster that has nodes at {@code endpoints}. */
  public ClusterClient(String endpoints) {
    this(ClientConfig.of(endpoints));
  }

  /** A client with a configuration; connects on first use. */
  public ClusterClient(ClientConfig config) {
    LoadedConfig loaded = LoadedConfig.of(config); // First: it may throw.
    this.nodes = new Nodes(loaded, ClientPort.real());
    this.caller = new Caller(nodes);
  }

  /** The nodes and their roles, as seen by the node that answers. */
  public ClusterInfo describeCluster() {
    byte[] answer = caller.awaitAnswer(Operation.DESCRIBE_CLUSTER, NOTHING);
    return ClusterAnswers.cluster(Json.decode(answer, ClusterDescription.class));
  }

  /**
   * The replicas of one node, as reported by the node.
   *
   * @param address the node's address, from {@link #describeCluster}
   * @throws IllegalArgumentException when the address is no endpoint
   */
  public NodeStatus nodeStatus(String address) {
    byte[] payload = Json.encode(new DescribeNode(NodePart.REPLICAS));
    return ClusterAnswers.status(
        ask(address, Operation.DESCRIBE_NODE, payload, ClusterControl.NodeStatus.class));
  }

  /**
   * Tells a node to hand over all that it leads, or to take part again. Returns when the node has
   * received the request; {@link #describeCluster} shows when the node leads nothing. Idempotent.
   *
   * @param address the node's address, from {@link #describeCluster}
   * @param isDraining true to empty the node, false to let it take part
   * @throws IllegalArgumentException when the address is no endpoint
   */
  public void drain(String address, boolean isDraining) {
    byte[] payload = Json.encode(new DrainNode(isDraining));
    var unused = ask(address, Operation.DRAIN_NODE, payload, Control.Empty.class);
  }

  /** The sessions that rows are bound to, of all principals, by id. For administrators. */
  public List<RowSessionInfo> rowSessions() {
    List<RowSessionInfo> all = new ArrayList<>();
    RowSessionControl.SessionList page;
    long last = 0;
    do {
      byte[] payload = Json.encode(new RowSessionControl.After(last));
      byte[] answer = caller.awaitAnswer(Subject.CATALOG, Operation.LIST_ROW_SESSIONS, payload);
      page = Json.decode(answer, RowSessionControl.SessionList.class);
      for (RowSessionControl.SessionInfo each : page.sessions()) {
        last = each.sessionId();
        all.add(ClusterAnswers.session(each));
      }
    } while (page.isCut());
    return all;
  }

  /**
   * Ends a session that rows are bound to, of whatever principal, and returns when its rows are
   * deleted. Its client gets {@code SESSION_ENDED}. Does nothing to a session that has ended. Only
   * administrators may end sessions of others.
   *
   * @param id from {@link #rowSessions}
   */
  public void endRowSession(long id) {
    byte[] payload = Json.encode(new RowSessionControl.Numbered(id));
    var unused = caller.awaitAnswer(Subject.CATALOG, Operation.END_ROW_SESSION, payload);
  }

  /**
   * The level of the cluster, or of a single server, and who could serve a higher one. Only
   * administrators may ask.
   */
  public ClusterLevels levels() {
    return upgrade(Optional.empty());
  }

  /**
   * Raises the level of the cluster, or of a single server. Changes nothing where the level is as
   * high already. A level never falls. Only administrators may raise it.
   *
   * @param level the level to raise to
   * @return the levels after the raise
   * @throws io.tunnel.model.RefusedException {@code FEATURE_NOT_ENABLED}, with the names of the
   *     nodes that do not serve the level
   * @throws IllegalArgumentException when the number is no level
   */
  public ClusterLevels upgrade(int level) {
    return upgrade(Optional.of(level));
  }

  private ClusterLevels upgrade(Optional<Integer> to) {
    byte[] answer = caller.awaitAnswer(Operation.UPGRADE, Json.encode(new Upgrade(to)));
    return ClusterAnswers.levels(Json.decode(answer, ClusterControl.Levels.class));
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
  }
}
