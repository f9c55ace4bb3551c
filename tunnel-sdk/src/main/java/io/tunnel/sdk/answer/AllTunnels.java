package io.tunnel.sdk.answer;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Lists the tunnels of all tables. A node of a cluster lists only the tunnels that it coordinates,
 * so all nodes are asked. A single server says once that it is no cluster.
 */
public final class AllTunnels {

  private static final byte[] NOTHING = {};

  private final Caller caller;
  private volatile boolean isOneServer;

  public AllTunnels(Caller caller) {
    this.caller = caller;
  }

  public List<Control.TunnelInfo> list() {
    List<Endpoint> nodes = isOneServer ? List.of() : nodes();
    if (nodes.isEmpty()) {
      return decode(caller.awaitAnswer(Operation.LIST_TUNNELS, NOTHING));
    }
    Map<String, Control.TunnelInfo> byId = new TreeMap<>();
    nodes.stream()
        .map(node -> caller.askAt(node, Operation.LIST_TUNNELS, NOTHING))
        .toList() // Asks all nodes before waiting for the first.
        .forEach(
            answer ->
                decode(Caller.await(answer).payload())
                    .forEach(tunnel -> byId.put(tunnel.tunnelId(), tunnel)));
    return byId.values().stream()
        .sorted(
            Comparator.comparing(Control.TunnelInfo::table)
                .thenComparing(Control.TunnelInfo::tunnel))
        .toList();
  }

  private static List<Control.TunnelInfo> decode(byte[] payload) {
    return Json.decode(payload, Control.TunnelList.class).tunnels();
  }

  private List<Endpoint> nodes() {
    try {
      byte[] answer = caller.awaitAnswer(Operation.DESCRIBE_CLUSTER, NOTHING);
      return Json.decode(answer, ClusterDescription.class).nodes().stream()
          .filter(node -> node.tunnelGroups() > 0)
          .map(NodeDescription::address)
          .flatMap(address -> Stream.of(Endpoint.of(address)))
          .toList();
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.INVALID_REQUEST && e.code() != ErrorCode.UNKNOWN_OPERATION) {
        throw e;
      }
      isOneServer = true;
      return List.of();
    }
  }
}
