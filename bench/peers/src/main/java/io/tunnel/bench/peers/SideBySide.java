package io.tunnel.bench.peers;

import io.tunnel.cli.bench.peer.CpuTimes;
import io.tunnel.cli.bench.peer.Figures;
import io.tunnel.cli.bench.peer.LatencyRound;
import io.tunnel.cli.bench.peer.Load;
import io.tunnel.cli.bench.peer.Look;
import io.tunnel.cli.bench.peer.Peer;
import io.tunnel.cli.bench.peer.Progress;
import io.tunnel.cli.bench.peer.ReadRound;
import io.tunnel.cli.bench.peer.RowWriter;
import io.tunnel.cli.bench.peer.WriteRound;
import io.tunnel.stress.LoadClock;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** The tests in their order; within a test, rounds alternate between the peers. */
final class SideBySide {

  private static final String WRITE = "write";
  private static final int LATENCY_ROWS_MAX = 20_000_000;
  private static final int WARM_SECONDS = 2;
  private static final double IDLE_ROWS_PER_SECOND = 100;
  private static final int IDLE_WARM_ROWS = 50;

  private final SideBySideOptions options;
  private final LoadClock clock;
  private final PrintWriter out;
  private final Load load;
  private int tables;

  SideBySide(SideBySideOptions options, LoadClock clock, PrintWriter out) {
    this.options = options;
    this.clock = clock;
    this.out = out;
    this.load = new Load(options.writers, options.roundSecondsMax);
  }

  /**
   * Runs what was asked for.
   *
   * @param writers of the tests of writes; ratios are to the first
   * @param readers of the others, the first again first
   */
  void run(List<? extends Peer> writers, List<? extends Peer> readers) throws Exception {
    Results results = new Results(writers.get(0).name(), out);
    CpuTimes.settle(readers, clock);
    if (options.only.contains("write")) {
      generate(writers.get(0));
      write(writers, options.rows, options.rounds, results);
      results.print(WRITE);
    }
    if (options.only.contains("read")) {
      read(readers, results);
    }
    if (options.only.contains("latency")) {
      latency(readers, results);
    }
    results.printJson(options.asMap());
  }

  /** What of a writer's cost is the making of rows, for both the same. */
  private void generate(Peer anyone) throws Exception {
    long warmUp = load.generate(options.rows);
    CpuTimes cpu = new CpuTimes(anyone);
    if (load.generate(options.rows) != warmUp) {
      throw new IllegalStateException("the rows are not the same every time");
    }
    out.printf(
        Locale.ROOT,
        "making rows and throwing them away: %.3f us of client CPU per row%n",
        cpu.clientMicrosPer(options.rows));
    out.flush();
  }

  private void write(List<? extends Peer> peers, long rows, int rounds, Results results)
      throws Exception {
    WriteRound test = new WriteRound(load, options.partitions, clock);
    for (Peer peer : peers) {
      var unused = test.run(peer, nextTable(), rows / 2);
    }
    for (int round = 0; round < rounds; round++) {
      for (Peer peer : peers) {
        results.add(WRITE, peer.name(), test.run(peer, nextTable(), rows));
      }
    }
  }

  private void read(List<? extends Peer> peers, Results results) throws Exception {
    String table = nextTable();
    long amounts = 0;
    for (Peer peer : peers) {
      peer.create(table, options.partitions);
      CpuTimes.settle(List.of(peer), clock);
      try (RowWriter writer = peer.openWriter(table)) {
        amounts = load.write(writer, options.rows);
      }
    }
    CpuTimes.settle(peers, clock);
    ReadRound test = new ReadRound(options.roundSecondsMax, Progress.NONE, clock);
    for (Look look : options.looks) {
      String name = "read, " + look.name().toLowerCase(Locale.ROOT);
      for (int round = -1; round < options.rounds; round++) {
        for (Peer peer : peers) {
          Figures figures = test.run(peer, table, look, options.rows, amounts);
          if (round >= 0) { // the one before is to warm up
            results.add(name, peer.name(), figures);
          }
          CpuTimes.settle(peers, clock);
        }
      }
      results.print(name);
    }
    for (Peer peer : peers) {
      peer.drop(table);
    }
    CpuTimes.settle(peers, clock);
  }

  private void latency(List<? extends Peer> peers, Results results) throws Exception {
    long rate = options.latencyRate > 0 ? options.latencyRate : halfOfTheSlower(peers, results);
    int rows = (int) Math.min(rate * options.latencySeconds, LATENCY_ROWS_MAX);
    String loaded = "latency at " + rate + " rows/s";
    latency(peers, loaded, new LatencyRound.Pace(rate, (int) rate * WARM_SECONDS, rows), results);
    latency(
        peers,
        "latency idle, a row every 10 ms",
        new LatencyRound.Pace(IDLE_ROWS_PER_SECOND, IDLE_WARM_ROWS, options.idleRows),
        results);
  }

  private void latency(
      List<? extends Peer> peers, String name, LatencyRound.Pace pace, Results results)
      throws Exception {
    LatencyRound test =
        new LatencyRound(options.partitions, options.roundSecondsMax, Progress.NONE, clock);
    for (int round = 0; round < options.rounds; round++) {
      for (Peer peer : peers) {
        results.add(name, peer.name(), test.run(peer, nextTable(), pace));
      }
    }
    results.print(name);
  }

  private long halfOfTheSlower(List<? extends Peer> peers, Results results) throws Exception {
    if (results.median(WRITE, peers.get(0).name(), "rows/s").isEmpty()) {
      write(peers, options.rows, 1, results);
      results.print(WRITE);
    }
    double slower =
        peers.stream()
            .mapToDouble(peer -> results.median(WRITE, peer.name(), "rows/s").orElseThrow())
            .min()
            .orElseThrow();
    return Math.max(1, (long) (slower / 2));
  }

  private String nextTable() {
    tables++;
    return "t" + tables;
  }
}
