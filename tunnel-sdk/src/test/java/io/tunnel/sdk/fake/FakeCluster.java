package io.tunnel.sdk.fake;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.Endpoint;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Some nodes over real sockets that share one table in memory. One node or none leads each
 * partition; a test moves the leadership, and cuts a batch in two.
 */
public final class FakeCluster implements AutoCloseable {

  private static final int NOBODY = -1;

  private final List<FakeServer> nodes = new ArrayList<>();
  private final FakeTable table;
  private final int[] leaders;

  private final List<String> writes = new ArrayList<>();
  private boolean saysLeaders = true;
  private Optional<Cut> cut = Optional.empty();

  private record Cut(int rows, int newLeader, ErrorCode code) {}

  /**
   * {@code nodeCount} nodes; node i leads partition i, and the last node all further partitions.
   */
  public FakeCluster(int nodeCount, long... splitPoints) {
    table = new FakeTable(7, 0, splitPoints);
    leaders = new int[splitPoints.length + 1];
    for (int i = 0; i < leaders.length; i++) {
      leaders[i] = Math.min(i, nodeCount - 1);
    }
    for (int i = 0; i < nodeCount; i++) {
      int index = i;
      FakeServer node = new FakeServer();
      node.on(
          Operation.PARTITION_MAP, (connection, frame) -> connection.answer(frame, description()));
      node.on(
          Operation.DESCRIBE_TABLE,
          (connection, frame) -> connection.answer(frame, figures(index)));
      node.on(Operation.WRITE, (connection, frame) -> write(index, connection, frame));
      nodes.add(node);
    }
  }

  /** A node. */
  public FakeServer node(int index) {
    return nodes.get(index);
  }

  /** The table. */
  public FakeTable table() {
    return table;
  }

  /** A configuration with all nodes. */
  public ClientConfig config() {
    return ClientConfig.of(nodes.stream().map(node -> Endpoint.of(node.address())).toList());
  }

  private synchronized byte[] description() {
    List<Optional<String>> said = new ArrayList<>();
    for (int i = 0; i < leaders.length; i++) {
      said.add(address(leaders[i]));
    }
    return table.description(said);
  }

  /** The leader of partition i counts 10 * i rows; other nodes count none. */
  private synchronized byte[] figures(int node) {
    List<PartitionDescription> partitions = new ArrayList<>();
    for (int i = 0; i < leaders.length; i++) {
      long rows = leaders[i] == node ? 10L * (i + 1) : 0;
      partitions.add(FakeTable.led(table.partitions().get(i), address(leaders[i]), rows));
    }
    return Json.encode(new TableDescription(7, FakeTable.meta(), 0, partitions));
  }

  /** The address of a partition's leader, if it has one. */
  public synchronized Optional<String> leader(int partition) {
    return address(leaders[partition]);
  }

  private Optional<String> address(int node) {
    return node == NOBODY ? Optional.empty() : Optional.of(nodes.get(node).address());
  }

  private synchronized void write(int node, FakeConnection connection, Frame frame) {
    WriteRequest request = WriteRequest.decode(frame.payload());
    int partition = request.batch().partition();
    writes.add(node + ": " + partition);
    if (leaders[partition] != node) {
      connection.sendOn(frame, saysLeaders ? address(leaders[partition]) : Optional.empty());
    } else if (cut.isPresent() && request.batch().rowCount() > cut.get().rows()) {
      Cut now = cut.get();
      cut = Optional.empty();
      leaders[partition] = now.newLeader();
      connection.answer(frame, table.apply(request.batch(), now.rows(), now.code()).encode());
    } else {
      connection.answer(frame, table.apply(request.batch()).encode());
    }
  }

  /** A partition is led by another node, or by none when it is -1. */
  public synchronized void lead(int partition, int node) {
    leaders[partition] = node;
  }

  /** Whether refusals name the leader. */
  public synchronized void sayLeaders(boolean doSay) {
    saysLeaders = doSay;
  }

  /** Cuts the next batch with more than {@code rows} rows, and then moves the leadership. */
  public synchronized void cut(int rows, int newLeader, ErrorCode code) {
    cut = Optional.of(new Cut(rows, newLeader, code));
  }

  /** Writes that came, as "node: partition", in order. */
  public synchronized List<String> writes() {
    return List.copyOf(writes);
  }

  /** What went wrong at any node. */
  public List<Throwable> failures() {
    return nodes.stream().flatMap(node -> node.failures().stream()).toList();
  }

  @Override
  public void close() {
    nodes.forEach(FakeServer::close);
  }
}
