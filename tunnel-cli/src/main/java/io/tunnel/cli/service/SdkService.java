package io.tunnel.cli.service;

import io.tunnel.condition.RowSelection;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ClusterClient;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.RowRange;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.checkpoint.ExportCheckpointsRequest;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.ClusterLevels;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.NodeStatus;
import io.tunnel.sdk.cluster.RowSessionInfo;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.EndSessionRequest;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.PauseTunnelRequest;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelResponse;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A real server or cluster. A client exists from its first use on. */
final class SdkService implements Service {

  /** Retries end soon, because a person waits at a terminal. */
  private static final Duration RETRY_DEADLINE = Duration.ofSeconds(2);

  private final ClientConfig config;
  private TableClient tables;
  private TunnelClient tunnels;
  private ClusterClient cluster;
  private SecurityClient security;

  SdkService(String endpoint) {
    config = ClientConfig.of(endpoint).withRetryDeadline(RETRY_DEADLINE);
  }

  @Override
  public ClientConfig config() {
    return config;
  }

  private TableClient tables() {
    if (tables == null) {
      tables = TableClient.connect(config);
    }
    return tables;
  }

  private TunnelClient tunnels() {
    if (tunnels == null) {
      tunnels = new TunnelClient(config);
    }
    return tunnels;
  }

  private ClusterClient cluster() {
    if (cluster == null) {
      cluster = new ClusterClient(config);
    }
    return cluster;
  }

  @Override
  public SecurityClient security() {
    if (security == null) {
      security = new SecurityClient(config);
    }
    return security;
  }

  @Override
  public List<String> listTables() {
    return tables().listTables();
  }

  @Override
  public TableInfo describeTable(String table) {
    return tables().describeTable(table);
  }

  @Override
  public TableInfo alterTable(String table, OptionsChange change) {
    return tables().alterTable(table, change);
  }

  @Override
  public void dropTable(String table) {
    tables().dropTable(table);
  }

  @Override
  public Optional<Row> getRow(String table, PrimaryKey key, RowSelection selection, ReadMode mode) {
    return tables().getRow(table, key, selection, mode);
  }

  @Override
  public Rows scan(String table, RangeQuery query, RowSelection selection) {
    RowRange.RowIterator rows = tables().getRange(table, query).select(selection).iterator();
    return new Rows() {
      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public Row next() {
        return rows.next();
      }

      @Override
      public long lookedAt() {
        return rows.rowsLookedAt();
      }
    };
  }

  @Override
  public TunnelInfo createTunnel(CreateTunnelRequest request) {
    return tunnels().createTunnel(request).tunnelInfo();
  }

  @Override
  public List<TunnelInfo> listTunnels(Optional<String> table) {
    return tunnels().listTunnel(new ListTunnelRequest(table)).getTunnelInfos();
  }

  @Override
  public DescribeTunnelResponse describeTunnel(String table, String tunnel) {
    return tunnels().describeTunnel(new DescribeTunnelRequest(table, tunnel));
  }

  @Override
  public void deleteTunnel(String table, String tunnel) {
    tunnels().deleteTunnel(new DeleteTunnelRequest(table, tunnel));
  }

  @Override
  public void pauseTunnel(String table, String tunnel, List<String> channels) {
    tunnels().pauseTunnel(new PauseTunnelRequest(table, tunnel, channels));
  }

  @Override
  public void resumeTunnel(String table, String tunnel, List<String> channels) {
    tunnels().resumeTunnel(new ResumeTunnelRequest(table, tunnel, channels));
  }

  @Override
  public SeekTunnelResponse seekTunnel(SeekTunnelRequest request) {
    return tunnels().seekTunnel(request);
  }

  @Override
  public CheckpointSet exportCheckpoints(String table, String tunnel) {
    return tunnels().exportCheckpoints(new ExportCheckpointsRequest(table, tunnel)).checkpoints();
  }

  @Override
  public void endSession(String table, String tunnel, String session) {
    tunnels().endSession(new EndSessionRequest(table, tunnel, session));
  }

  @Override
  public List<RowSessionInfo> rowSessions() {
    return cluster().rowSessions();
  }

  @Override
  public void endRowSession(long id) {
    cluster().endRowSession(id);
  }

  @Override
  public ClusterInfo describeCluster() {
    return cluster().describeCluster();
  }

  @Override
  public Optional<NodeStatus> nodeStatus(NodeInfo node) {
    try {
      return Optional.of(cluster().nodeStatus(node.address()));
    } catch (ConnectionException noAnswer) {
      return Optional.empty();
    }
  }

  @Override
  public void drain(NodeInfo node, boolean isDraining) {
    cluster().drain(node.address(), isDraining);
  }

  @Override
  public ClusterLevels levels() {
    return cluster().levels();
  }

  @Override
  public ClusterLevels upgrade(int level) {
    return cluster().upgrade(level);
  }

  @Override
  public Duration ping(int bytes) {
    return tables().ping(bytes);
  }

  @Override
  @SuppressWarnings("try") // Closes those that exist; the body uses none of them.
  public void close() {
    try (TableClient unusedTables = tables;
        TunnelClient unusedTunnels = tunnels;
        ClusterClient unusedCluster = cluster;
        SecurityClient unusedSecurity = security) {
      // Closes those that exist, and keeps later errors as suppressed ones.
    }
  }
}
