package io.tunnel.bench.neighbours;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.TunnelInfo;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The neighbour, in a process of its own. It says {@code working} when it has begun, and goes on
 * until it is ended. Arguments: endpoint, {@link Habit}.
 */
final class NeighbourMain {

  static final String WORKING = "working";

  private static final int SCANNERS = 4;
  private static final int SLOW_WORKERS = 8;
  private static final long SLOW_MS = 1_000;
  private static final int TUNNELS = 1_000;
  private static final long WRITE_EVERY_MS = 100;
  private static final long LOOK_EVERY_MS = 5;

  private final LoadClock clock = new SystemClock();
  private final TableClient tables;
  private final TunnelClient tunnels;

  private NeighbourMain(TableClient tables, TunnelClient tunnels) {
    this.tables = tables;
    this.tunnels = tunnels;
  }

  public static void main(String[] args) {
    try (TableClient tables = TableClient.connect(args[0]);
        TunnelClient tunnels = new TunnelClient(args[0])) {
      NeighbourMain neighbour = new NeighbourMain(tables, tunnels);
      switch (Habit.valueOf(args[1])) {
        case COMPUTATION -> computation();
        case BACKLOG -> neighbour.backlog();
        case SLOW_READERS -> neighbour.slowReaders();
        case SCANS -> neighbour.scans();
        case TUNNELS -> neighbour.thousandTunnels();
      }
    }
  }

  private static void computation() {
    working();
    while (true) {
      Thread.onSpinWait();
    }
  }

  private void backlog() {
    while (true) {
      deleteTunnels(Ground.LARGE_TABLE);
      String tunnelId = newTunnel(Ground.LARGE_TABLE, "backlog");
      AtomicLong rows = new AtomicLong();
      TunnelWorker worker = newWorker(tunnelId, input -> rows.addAndGet(input.getRecords().size()));
      working();
      while (rows.get() < Ground.LARGE_TABLE_ROWS) {
        pause(LOOK_EVERY_MS);
      }
      worker.shutdown();
    }
  }

  private void slowReaders() {
    deleteTunnels(Ground.LARGE_TABLE);
    String tunnelId = newTunnel(Ground.LARGE_TABLE, "slow");
    for (int i = 0; i < SLOW_WORKERS; i++) {
      var unused = newWorker(tunnelId, input -> pause(SLOW_MS));
    }
    working();
    pause(TimeUnit.DAYS.toMillis(1));
  }

  private void scans() {
    for (int i = 1; i < SCANNERS; i++) {
      Thread scanner = new Thread(this::scan, "scanner-" + i);
      scanner.setDaemon(true);
      scanner.start();
    }
    working();
    scan();
  }

  private void scan() {
    while (true) {
      for (var row : tables.getRange(Ground.LARGE_TABLE, RangeQuery.ALL)) {
        if (row.columns().isEmpty()) {
          throw new IllegalStateException("a row without columns");
        }
      }
    }
  }

  private void thousandTunnels() {
    for (String table : Ground.SMALL_TABLES) {
      deleteTunnels(table);
      for (int i = 0; i < TUNNELS / Ground.SMALL_TABLES.size(); i++) {
        var unused = newWorker(newTunnel(table, "tunnel" + i), input -> {});
      }
    }
    working();
    for (long next = 0; ; next++) {
      for (String table : Ground.SMALL_TABLES) {
        var unused = tables.write(table, Ground.rows(next, 1));
      }
      pause(WRITE_EVERY_MS);
    }
  }

  /** Those of an earlier process, which would be over the limit of the table one day. */
  private void deleteTunnels(String table) {
    for (TunnelInfo former : tunnels.listTunnel(new ListTunnelRequest(table)).getTunnelInfos()) {
      tunnels.deleteTunnel(new DeleteTunnelRequest(table, former.getTunnelName()));
    }
  }

  private String newTunnel(String table, String name) {
    return tunnels
        .createTunnel(new CreateTunnelRequest(table, name, TunnelType.Stream, StreamStart.EARLIEST))
        .getTunnelId();
  }

  private TunnelWorker newWorker(String tunnelId, Consumer<ProcessRecordsInput> process) {
    TunnelWorkerConfig config = new TunnelWorkerConfig(process);
    config.setProcessorThreads(1);
    TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, config);
    worker.connectAndWorking();
    return worker;
  }

  private static void working() {
    System.out.println(WORKING);
  }

  private void pause(long millis) {
    clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(millis), () -> false);
  }
}
