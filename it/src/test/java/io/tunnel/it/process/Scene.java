package io.tunnel.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.model.Durability;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A table of its own on a server, or a cluster, that others may use too, its clients, and what
 * moves on it.
 */
public final class Scene {

  public static final Duration OFTEN = Duration.ofMillis(20);

  private static final long WITHOUT_END = Long.MAX_VALUE;
  private static int tableNames;

  private final Stage stage;
  private final Service service;
  private final TestTable table;
  private final TableClient tables;
  private final TunnelClient tunnels;

  public Scene(Stage stage, Service service, int partitions) {
    this.stage = stage;
    this.service = service;
    table = new TestTable("scene" + newName(), partitions, Durability.OS);
    tables = stage.tables(service);
    tunnels = stage.tunnels(service);
    var unused = table.create(tables);
  }

  private static synchronized int newName() {
    return ++tableNames;
  }

  public String table() {
    return table.name();
  }

  public TestTable testTable() {
    return table;
  }

  public TableClient tables() {
    return tables;
  }

  public TunnelClient tunnels() {
    return tunnels;
  }

  /** A writer that goes on until it is stopped. */
  public WriterProcess writer() {
    return new WriterProcess(stage, service, table, 11, WITHOUT_END);
  }

  /** A tunnel; a stream has all there is. */
  public Channels tunnel(String name, TunnelType type) {
    return tunnel(new CreateTunnelRequest(table(), name, type, StreamStart.EARLIEST));
  }

  public Channels stream(String name, StreamTunnelConfig config) {
    return tunnel(new CreateTunnelRequest(table(), name, TunnelType.Stream, config));
  }

  private Channels tunnel(CreateTunnelRequest request) {
    assertThat(tunnels.createTunnel(request).getTunnelId()).isNotEmpty();
    return new Channels(tunnels, table(), request.tunnelName());
  }

  public WorkerProcess worker(Channels tunnel, WorkerSetup setup) {
    return new WorkerProcess(stage, service, tunnel.tunnelId(), setup);
  }

  /** A worker of that build. */
  public WorkerProcess worker(Channels tunnel, WorkerSetup setup, Build build) {
    return new WorkerProcess(stage, service, tunnel.tunnelId(), setup, build);
  }

  public WorkerProcess worker(Channels tunnel, String tag) {
    return worker(tunnel, WorkerSetup.of(tag, OFTEN));
  }

  /** What is committed, by partition. */
  public Map<Integer, Long> committed() {
    Map<Integer, Long> all = new TreeMap<>();
    for (PartitionInfo partition : tables.describeTable(table()).partitions()) {
      all.put(partition.id(), partition.figures().orElseThrow().committed());
    }
    return all;
  }

  /** The oldest change that is kept of the first partition. */
  public long firstPosition() {
    PartitionInfo first = tables.describeTable(table()).partitions().get(0);
    return first.figures().orElseThrow().firstPosition();
  }

  /** Writes rows that no writer touches, the same number to each partition. */
  public void fill(int rowsPerPartition, int valueBytes) {
    Column text = new Column("text", ColumnValue.fromString("x".repeat(valueBytes)));
    for (int i = 0; i < rowsPerPartition; i++) {
      List<RowChange> rows = new ArrayList<>();
      for (long partition = 0; partition < table.partitions(); partition++) {
        rows.add(
            new RowPutChange(
                TestTable.key(partition * TestTable.HASHES_PER_PARTITION + 1, "filler" + i),
                List.of(text)));
      }
      tables.write(table(), rows);
    }
  }

  /** What the table holds: columns by key. */
  public Map<String, Map<String, String>> rows() {
    return Ledger.rowsOf(tables, table(), RangeQuery.ALL);
  }

  /** What these make of an empty table. */
  public static Map<String, Map<String, String>> fold(List<Seen> all) {
    Map<String, Map<String, String>> rows = new TreeMap<>();
    all.forEach(seen -> seen.mutation().applyTo(rows));
    return rows;
  }
}
