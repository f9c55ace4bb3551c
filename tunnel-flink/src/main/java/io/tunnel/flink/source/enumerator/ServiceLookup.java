package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.checkpoint.ExportCheckpointsRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Asks the service; connects on the first call. */
public final class ServiceLookup implements TableLookup {

  /** The most names of tunnels in a message. */
  private static final int NAMES_MAX = 20;

  private final TunnelOptions options;
  private Optional<TableClient> client = Optional.empty();

  /** A lookup for a table. */
  public ServiceLookup(TunnelOptions options) {
    this.options = options;
  }

  private synchronized TableClient client() {
    if (client.isEmpty()) {
      client = Optional.of(TableClient.connect(options.clientConfig()));
    }
    return client.get();
  }

  @Override
  public TableInfo table() {
    return client().partitionMap(options.table());
  }

  @Override
  public TablePositions positions(Optional<Long> timeMs) {
    return client().findPositions(options.table(), timeMs);
  }

  @Override
  public CheckpointSet checkpoints(String tunnel) {
    try (TunnelClient tunnels = new TunnelClient(options.clientConfig())) {
      try {
        return tunnels
            .exportCheckpoints(new ExportCheckpointsRequest(options.table(), tunnel))
            .checkpoints();
      } catch (RefusedException e) {
        throw e.code() == ErrorCode.TUNNEL_NOT_FOUND ? noSuch(tunnel, tunnels) : e;
      }
    }
  }

  private RefusedException noSuch(String tunnel, TunnelClient tunnels) {
    List<TunnelInfo> all =
        tunnels.listTunnel(new ListTunnelRequest(Optional.empty())).getTunnelInfos();
    String ofTable =
        names(all, info -> info.getTableName().equals(options.table()), TunnelInfo::getTunnelName);
    String ofOthers =
        names(all, info -> info.getTunnelName().equals(tunnel), TunnelInfo::getTableName);
    return new RefusedException(
        ErrorCode.TUNNEL_NOT_FOUND,
        "table "
            + options.table()
            + " has no tunnel '"
            + tunnel
            + (ofTable.isEmpty() ? "' and no other" : "'; it has " + ofTable)
            + (ofOthers.isEmpty() ? "" : "; a tunnel of that name is of table " + ofOthers));
  }

  private static String names(
      List<TunnelInfo> tunnels, Predicate<TunnelInfo> which, Function<TunnelInfo, String> name) {
    return tunnels.stream()
        .filter(which)
        .map(name)
        .sorted()
        .limit(NAMES_MAX)
        .collect(Collectors.joining(", "));
  }

  @Override
  public synchronized void close() {
    client.ifPresent(TableClient::close);
  }
}
