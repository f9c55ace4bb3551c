package io.tunnel.cli.service;

import io.tunnel.condition.RowSelection;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.ClusterLevels;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.NodeStatus;
import io.tunnel.sdk.cluster.RowSessionInfo;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelResponse;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * A server or a cluster as the commands ask it; its connections close with it. Every method may
 * throw {@link io.tunnel.model.RefusedException} or {@link io.tunnel.sdk.ConnectionException}.
 */
public interface Service extends AutoCloseable {

  List<String> listTables();

  TableInfo describeTable(String table);

  /** Returns the table without figures. */
  TableInfo alterTable(String table, OptionsChange change);

  void dropTable(String table);

  Optional<Row> getRow(String table, PrimaryKey key, RowSelection selection, ReadMode mode);

  /** The selected rows of a range, fetched while they are iterated. */
  Rows scan(String table, RangeQuery query, RowSelection selection);

  TunnelInfo createTunnel(CreateTunnelRequest request);

  /** The tunnels of one table, or of all. */
  List<TunnelInfo> listTunnels(Optional<String> table);

  DescribeTunnelResponse describeTunnel(String table, String tunnel);

  void deleteTunnel(String table, String tunnel);

  /** Pauses these channels; an empty list means the whole tunnel. */
  void pauseTunnel(String table, String tunnel, List<String> channels);

  /** Resumes these channels; an empty list means the whole tunnel. */
  void resumeTunnel(String table, String tunnel, List<String> channels);

  SeekTunnelResponse seekTunnel(SeekTunnelRequest request);

  CheckpointSet exportCheckpoints(String table, String tunnel);

  void endSession(String table, String tunnel, String session);

  /** The sessions that rows are bound to, by id. */
  List<RowSessionInfo> rowSessions();

  /** Ends a session, and deletes its rows. */
  void endRowSession(long id);

  /** The cluster, as the node that answers sees it. */
  ClusterInfo describeCluster();

  /** A node's report about itself; empty when the node does not answer. */
  Optional<NodeStatus> nodeStatus(NodeInfo node);

  /** Tells a node to hand over everything that it leads, or to take part again. */
  void drain(NodeInfo node, boolean isDraining);

  /** The level of the cluster or server, and who could serve a higher one. */
  ClusterLevels levels();

  /** Raises the level of the cluster or server. */
  ClusterLevels upgrade(int level);

  /** Sends so many bytes, which come back, and returns the time between; never retries. */
  Duration ping(int bytes);

  /** Keys, rights, groups, tokens and quotas. */
  SecurityClient security();

  /** How the clients of this service connect. */
  ClientConfig config();

  @Override
  void close();

  /** Rows that are fetched while they are iterated. */
  interface Rows extends Iterator<Row> {
    /** Rows that were looked at so far, whether or not they are among these. */
    long lookedAt();
  }

  /** Reaches the service at an endpoint. */
  @FunctionalInterface
  interface Connector {
    Service connect(String endpoint);
  }
}
