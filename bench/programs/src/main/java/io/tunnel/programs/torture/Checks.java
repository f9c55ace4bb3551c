package io.tunnel.programs.torture;

import io.tunnel.model.Row;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.programs.torture.WitnessCore.Findings;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.stress.LoadClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Reads everything that a server has, and holds it against the ledgers. Nobody writes meanwhile.
 */
final class Checks implements AutoCloseable {

  /** The tunnel whose checkpoints must not go back. */
  static final String AUDIT = "audit";

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long SILENCE_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);
  private static final Duration RETRY_DEADLINE = Duration.ofSeconds(30);
  private static final Duration CLUSTER_RETRY_DEADLINE = Duration.ofMinutes(3);

  private final TableClient tables;
  private final TunnelClient tunnels;
  private final boolean isInCluster;
  private final LoadClock clock;
  private int number;

  /**
   * Of the server there.
   *
   * @param isInCluster whether it is a node of a cluster
   */
  Checks(String endpoint, boolean isInCluster, LoadClock clock) {
    this.isInCluster = isInCluster;
    Duration deadline = isInCluster ? CLUSTER_RETRY_DEADLINE : RETRY_DEADLINE;
    ClientConfig config =
        ClientConfig.of(endpoint).withRetryDeadline(deadline).withWriteRetryDeadline(deadline);
    this.tables = TableClient.connect(config);
    this.tunnels = new TunnelClient(config);
    this.clock = clock;
  }

  /** Makes what is written to and read from. */
  void create() {
    var unused = tables.createTable(TortureTable.meta(), TortureTable.splits());
    unused = tables.createTable(TortureTable.shortMeta(isInCluster), TortureTable.splits());
    var made =
        tunnels.createTunnel(
            new CreateTunnelRequest(
                TortureTable.NAME, AUDIT, TunnelType.Stream, StreamStart.EARLIEST));
    if (made.getTunnelId().isEmpty()) {
      throw new IllegalStateException("a tunnel without an id");
    }
  }

  /** A worker that processes the changes of the audit tunnel and stores checkpoints often. */
  TunnelWorker worker() {
    String id =
        tunnels
            .describeTunnel(new DescribeTunnelRequest(TortureTable.NAME, AUDIT))
            .getTunnelInfo()
            .getTunnelId();
    TunnelWorkerConfig config = new TunnelWorkerConfig(input -> {});
    config.setCheckpointIntervalInMillis(50);
    TunnelWorker worker = new TunnelWorker(id, tunnels, config);
    worker.connectAndWorking();
    return worker;
  }

  /** By partition, how far the audit tunnel is on the server's disk. */
  Map<Integer, Long> checkpoints() {
    Map<Integer, Long> positions = new HashMap<>();
    for (ChannelInfo channel :
        tunnels
            .describeTunnel(new DescribeTunnelRequest(TortureTable.NAME, AUDIT))
            .getChannelInfos()) {
      positions.put(channel.partition(), channel.checkpointed());
    }
    return positions;
  }

  /** Names of the tables. */
  Set<String> tableNames() {
    return new HashSet<>(tables.listTables());
  }

  /** What was read of the channels, and what does not hold. */
  record Result(long delivered, Findings findings) {}

  /** Everything against everything. */
  Result check(Witness ledger, Witness shortLedger) throws InterruptedException {
    Seen seen = read(ledger);
    Findings findings = ledger.judge(seen.versions());
    List<String> disagreements =
        seen.disagreements(tables.getRange(TortureTable.NAME, RangeQuery.ALL));
    findings =
        findings.plus(
            new Findings(0, seen.gaps(), 0, 0, disagreements.size(), head(disagreements)));
    List<String> old = shortLedger.outdated(rows(TortureTable.SHORT));
    return new Result(seen.count(), findings.plus(new Findings(old.size(), 0, 0, 0, 0, head(old))));
  }

  private static List<String> head(List<String> all) {
    return all.subList(0, Math.min(all.size(), 5));
  }

  private Map<Integer, Integer> rows(String table) {
    Map<Integer, Integer> versions = new HashMap<>();
    for (Row row : tables.getRange(table, RangeQuery.ALL)) {
      for (Column column : row.columns()) {
        if (column.getName().equals(TortureTable.versionColumn())) {
          versions.put(
              TortureTable.key(row.primaryKey()), Integer.parseInt(column.getValue().toString()));
        }
      }
    }
    return versions;
  }

  /** A tunnel of its own, from the first change to the last. */
  private Seen read(Witness ledger) throws InterruptedException {
    String name = "check-" + ++number;
    String id =
        tunnels
            .createTunnel(
                new CreateTunnelRequest(
                    TortureTable.NAME, name, TunnelType.Stream, StreamStart.EARLIEST))
            .getTunnelId();
    Seen seen = new Seen(ledger);
    TunnelWorker worker = new TunnelWorker(id, tunnels, new TunnelWorkerConfig(seen::take));
    worker.connectAndWorking();
    try {
      awaitAll(seen, name);
    } finally {
      worker.shutdown();
    }
    var unused = tunnels.deleteTunnel(new DeleteTunnelRequest(TortureTable.NAME, name));
    return seen;
  }

  private void awaitAll(Seen seen, String tunnel) {
    Map<Integer, Long> ends = new HashMap<>();
    for (ChannelInfo channel :
        tunnels
            .describeTunnel(new DescribeTunnelRequest(TortureTable.NAME, tunnel))
            .getChannelInfos()) {
      if (channel.committed() > 0) {
        ends.put(channel.partition(), channel.committed());
      }
    }
    long count = -1;
    long sinceNanos = clock.nanos();
    while (!reaches(seen.positions(), ends)) {
      if (seen.count() != count) {
        count = seen.count();
        sinceNanos = clock.nanos();
      } else if (clock.nanos() - sinceNanos > SILENCE_NANOS_MAX) {
        // What has not come is judged as lost.
        return;
      }
      clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
    }
  }

  private static boolean reaches(Map<Integer, Long> positions, Map<Integer, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  @Override
  public void close() {
    tunnels.close();
    tables.close();
  }
}
