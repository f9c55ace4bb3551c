package io.tunnel.cli;

import io.tunnel.cli.service.Service;
import io.tunnel.codec.KeyCodec;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Row;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.checkpoint.ChannelMove;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.ClusterLevels;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.NodeStatus;
import io.tunnel.sdk.cluster.RowSessionInfo;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.table.PartitionFigures;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelResponse;
import io.tunnel.sdk.tunnel.SessionInfo;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.terminal.Prompt;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Tables and tunnels in memory, which may be unreachable. Counts what is open. */
public final class FakeService {

  public final List<String> endpoints = new ArrayList<>();
  public final Map<String, TableInfo> tables = new TreeMap<>();
  final Map<String, NavigableMap<Bytes, Row>> rows = new HashMap<>();
  public final Map<String, DescribeTunnelResponse> tunnels = new TreeMap<>();
  public final FakeCluster fakeCluster = new FakeCluster();
  boolean isUnreachable;
  int open;

  /** What the person at the terminal answers; nobody is there when it is absent. */
  public Optional<String> answer = Optional.empty();

  public final List<String> questions = new ArrayList<>();
  final Prompt prompt =
      question -> {
        questions.add(question);
        return answer;
      };

  /** What operators asked for that changes a tunnel, one text each. */
  public final List<String> orders = new ArrayList<>();

  /** Seeks in order, dry runs too. */
  public final List<SeekTunnelRequest> seeks = new ArrayList<>();

  /** What every seek does. */
  public List<ChannelMove> moves = List.of();

  /** What every seek throws, if anything. */
  public Optional<RuntimeException> seekFailure = Optional.empty();

  /** What every deletion of a tunnel throws, if anything. */
  public Optional<RuntimeException> deleteFailure = Optional.empty();

  /** The clock of the server. */
  public long serverMs = System.currentTimeMillis();

  /** What every export gives. */
  public List<ChannelPosition> positions = List.of();

  /** Runs after every description. */
  public Runnable afterDescribe = () -> {};

  /** Rows handed out by scans. */
  public int scanned;

  /** How rows were read. */
  public final List<ReadMode> readModes = new ArrayList<>();

  /** The outcome of each ping, in turn; pings beyond take a millisecond. */
  public final Deque<Supplier<Duration>> pings = new ArrayDeque<>();

  /** Bytes of the pings. */
  public final List<Integer> pinged = new ArrayList<>();

  public void createTable(TableMeta meta) {
    PartitionInfo partition =
        new PartitionInfo(
            1,
            Optional.empty(),
            Optional.empty(),
            List.of(),
            Optional.empty(),
            Optional.of(new PartitionFigures(1_234, true, 99_000, 120_000, 1, 2_000)));
    tables.put(meta.name(), new TableInfo(1, meta, 1_700_000_000_000L, List.of(partition)));
    rows.put(meta.name(), new TreeMap<>());
  }

  public void put(String table, Row row) {
    rows.get(table).put(encode(row.primaryKey()), row);
  }

  private static Bytes encode(PrimaryKey key) {
    StringBuilder hex = new StringBuilder();
    for (PrimaryKeyColumn column : key.getPrimaryKeyColumns()) {
      hex.append(KeyCodec.encode(column.getValue()));
    }
    return Bytes.fromHex(hex.toString());
  }

  Service connect(String endpoint) {
    endpoints.add(endpoint);
    if (isUnreachable) {
      throw new ConnectionException("cannot connect to " + endpoint + ": refused", true, null);
    }
    open++;
    return new Connected(endpoint);
  }

  private TableInfo require(String table) {
    return Optional.ofNullable(tables.get(table))
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.TABLE_NOT_FOUND, "there is no table '" + table + "'"));
  }

  /**
   * A connection of one command. Its keys and rights are those of the real server there, if any.
   */
  private final class Connected implements Service {

    private final String endpoint;
    private SecurityClient security;

    Connected(String endpoint) {
      this.endpoint = endpoint;
    }

    @Override
    public ClientConfig config() {
      return ClientConfig.of(endpoint);
    }

    @Override
    public SecurityClient security() {
      if (security == null) {
        security = new SecurityClient(config());
      }
      return security;
    }

    @Override
    public Duration ping(int bytes) {
      pinged.add(bytes);
      return pings.isEmpty() ? Duration.ofMillis(1) : pings.remove().get();
    }

    @Override
    public ClusterLevels levels() {
      return fakeCluster.levels();
    }

    @Override
    public ClusterLevels upgrade(int level) {
      return fakeCluster.upgrade(level);
    }

    @Override
    public ClusterInfo describeCluster() {
      return fakeCluster.describe();
    }

    @Override
    public Optional<NodeStatus> nodeStatus(NodeInfo node) {
      return fakeCluster.status(node.name());
    }

    @Override
    public void drain(NodeInfo node, boolean isDraining) {
      fakeCluster.drain(node.name(), isDraining);
    }

    @Override
    public List<String> listTables() {
      return List.copyOf(tables.keySet());
    }

    @Override
    public TableInfo describeTable(String table) {
      return require(table);
    }

    @Override
    public TableInfo alterTable(String table, OptionsChange change) {
      orders.add("alter " + table + " " + change);
      TableInfo before = require(table);
      TableMeta meta =
          new TableMeta(table, before.meta().primaryKey(), change.over(before.meta().options()));
      tables.put(
          table, new TableInfo(before.tableId(), meta, before.createdMs(), before.partitions()));
      return new TableInfo(before.tableId(), meta, before.createdMs(), List.of());
    }

    @Override
    public void dropTable(String table) {
      tables.remove(require(table).meta().name());
    }

    @Override
    public Optional<Row> getRow(
        String table, PrimaryKey key, RowSelection selection, ReadMode mode) {
      readModes.add(mode);
      List<PrimaryKeySchema> schema = require(table).meta().primaryKey();
      return Optional.ofNullable(rows.get(table).get(encode(key)))
          .filter(FakeRows.judged(schema, selection))
          .map(row -> FakeRows.cut(row, selection));
    }

    @Override
    public Rows scan(String table, RangeQuery query, RowSelection selection) {
      readModes.add(query.mode());
      NavigableMap<Bytes, Row> range = rows.get(table);
      if (query.from().isPresent()) {
        range = range.tailMap(encode(query.from().get()), true);
      }
      if (query.to().isPresent()) {
        range = range.headMap(encode(query.to().get()), false);
      }
      NavigableMap<Bytes, Row> ordered =
          query.direction() == Direction.FORWARD ? range : range.descendingMap();
      List<PrimaryKeySchema> key = require(table).meta().primaryKey();
      return new FakeRows(
          ordered.values().stream().peek(row -> scanned++).iterator(),
          FakeRows.judged(key, selection),
          selection,
          query.limit());
    }

    @Override
    public TunnelInfo createTunnel(CreateTunnelRequest request) {
      String table = request.tableName();
      String tunnel = request.tunnelName();
      require(table);
      if (tunnels.containsKey(table + "/" + tunnel)) {
        throw new RefusedException(
            ErrorCode.TUNNEL_EXISTS, "table '" + table + "' has a tunnel '" + tunnel + "'");
      }
      TunnelInfo info =
          new TunnelInfo(
              "id-" + tunnel,
              tunnel,
              table,
              request.tunnelType(),
              request.streamTunnelConfig(),
              1_700_000_000_000L);
      tunnels.put(
          table + "/" + tunnel, new DescribeTunnelResponse(info, List.of(), false, List.of()));
      return info;
    }

    @Override
    public List<TunnelInfo> listTunnels(Optional<String> table) {
      return tunnels.values().stream()
          .map(DescribeTunnelResponse::getTunnelInfo)
          .filter(info -> table.isEmpty() || table.get().equals(info.getTableName()))
          .toList();
    }

    @Override
    public DescribeTunnelResponse describeTunnel(String table, String tunnel) {
      DescribeTunnelResponse found = find(table, tunnel);
      afterDescribe.run();
      return found;
    }

    private DescribeTunnelResponse find(String table, String tunnel) {
      return Optional.ofNullable(tunnels.get(table + "/" + tunnel))
          .orElseThrow(
              () ->
                  new RefusedException(
                      ErrorCode.TUNNEL_NOT_FOUND,
                      "table '" + table + "' has no tunnel '" + tunnel + "'"));
    }

    @Override
    public void deleteTunnel(String table, String tunnel) {
      find(table, tunnel);
      if (deleteFailure.isPresent()) {
        throw deleteFailure.get();
      }
      tunnels.remove(table + "/" + tunnel);
    }

    @Override
    public void pauseTunnel(String table, String tunnel, List<String> channels) {
      find(table, tunnel);
      orders.add("pause " + tunnel + " " + channels);
    }

    @Override
    public void resumeTunnel(String table, String tunnel, List<String> channels) {
      find(table, tunnel);
      orders.add("resume " + tunnel + " " + channels);
    }

    @Override
    public SeekTunnelResponse seekTunnel(SeekTunnelRequest request) {
      find(request.tableName(), request.tunnelName());
      seeks.add(request);
      if (seekFailure.isPresent()) {
        throw seekFailure.get();
      }
      return new SeekTunnelResponse(moves, serverMs);
    }

    @Override
    public CheckpointSet exportCheckpoints(String table, String tunnel) {
      find(table, tunnel);
      return new CheckpointSet(require(table).tableId(), table, tunnel, positions);
    }

    @Override
    public List<RowSessionInfo> rowSessions() {
      return List.of(
          new RowSessionInfo(3, "ada", Duration.ofSeconds(10), Duration.ofSeconds(7), 2),
          new RowSessionInfo(17, "", Duration.ofMinutes(1), Duration.ZERO, 1));
    }

    @Override
    public void endRowSession(long id) {
      orders.add("end row session " + id);
    }

    @Override
    public void endSession(String table, String tunnel, String session) {
      find(table, tunnel);
      orders.add("end " + session + " of " + tunnel);
    }

    @Override
    public void close() {
      open--;
      if (security != null) {
        security.close();
      }
    }
  }

  public void setChannels(String table, String tunnel, ChannelInfo... channels) {
    describe(table, tunnel, false, List.of(channels), List.of());
  }

  public void describe(
      String table,
      String tunnel,
      boolean isPaused,
      List<ChannelInfo> channels,
      List<SessionInfo> sessions) {
    tunnels.computeIfPresent(
        table + "/" + tunnel,
        (name, before) ->
            new DescribeTunnelResponse(before.getTunnelInfo(), channels, isPaused, sessions));
  }
}
