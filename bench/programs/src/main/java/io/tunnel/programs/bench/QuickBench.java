package io.tunnel.programs.bench;

import io.tunnel.model.Durability;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.LatencyRound;
import io.tunnel.programs.bench.peer.RowLoad;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.peer.Peer;
import io.tunnel.programs.bench.peer.ReadRound;
import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.programs.bench.peer.WriteRound;
import io.tunnel.programs.bench.report.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes, reads and latencies of one server, one after the other. */
final class QuickBench {

  /** Both arrays of times of a latency round are as long as that. */
  private static final long LATENCY_ROWS_MAX = 5_000_000;

  /** A tenth of the rows of a latency round come before those that count. */
  private static final long WARM_SHARE = 10;

  private static final List<Look> LOOKS = List.of(Look.COUNT, Look.TOUCH, Look.DECODE);

  private final Ground ground;
  private final Plan plan;
  private final RowLoad load;

  /** What is measured. */
  record Plan(long rows, int partitions, int rounds, int latencySeconds) {}

  /** What was measured, a list a kind, an element a round. */
  record Rounds(
      List<Figures> writesOs,
      List<Figures> writesFsync,
      List<List<Figures>> readsByLook,
      Figures latency) {}

  QuickBench(Ground ground, Plan plan) {
    this.ground = ground;
    this.plan = plan;
    this.load = ground.load(RowPlan.DEFAULT);
  }

  Report run() throws Exception {
    Peer os = ground.peer(Durability.OS);
    Peer fsync = ground.peer(Durability.FSYNC);
    ground.settle();
    WriteRound writing = new WriteRound(load, plan.partitions(), ground.clock());
    ground.progress().step("warm-up");
    var unused = writing.run(os, ground.nextTable(), Math.max(1, plan.rows() / 2));
    List<Figures> writesOs = new ArrayList<>();
    List<Figures> writesFsync = new ArrayList<>();
    for (int round = 1; round <= plan.rounds(); round++) {
      ground.progress().step("write, OS" + of(round));
      writesOs.add(writing.run(os, ground.nextTable(), plan.rows()));
      ground.progress().step("write, FSYNC" + of(round));
      writesFsync.add(writing.run(fsync, ground.nextTable(), plan.rows()));
    }
    List<List<Figures>> reads = reads(os);
    double half = Math.max(1, Figures.medians(writesOs).get("rows/s") / 2);
    return QuickReport.of(plan, new Rounds(writesOs, writesFsync, reads, latency(os, half)), half);
  }

  private String of(int round) {
    return ", round " + round + " of " + plan.rounds();
  }

  private List<List<Figures>> reads(Peer peer) throws Exception {
    String table = ground.nextTable();
    ground.progress().step("rows to read");
    peer.create(table, plan.partitions());
    long amounts;
    try (RowWriter writer = peer.openWriter(table)) {
      amounts = load.write(writer, plan.rows());
    }
    ground.settle();
    ReadRound reading =
        new ReadRound(ground.options().stepSecondsMax(), ground.progress(), ground.clock());
    List<List<Figures>> byLook = new ArrayList<>();
    for (Look look : LOOKS) {
      List<Figures> rounds = new ArrayList<>();
      String name = "read, " + look.name().toLowerCase(Locale.ROOT);
      for (int round = 0; round <= plan.rounds(); round++) {
        ground.progress().step(name + (round == 0 ? ", warm-up" : of(round)));
        Figures figures = reading.run(peer, table, look, plan.rows(), amounts);
        if (round > 0) {
          rounds.add(figures);
        }
      }
      byLook.add(rounds);
    }
    peer.drop(table);
    ground.settle();
    return byLook;
  }

  private Figures latency(Peer peer, double rowsPerSecond) throws Exception {
    long rows =
        Math.max(1, Math.min(LATENCY_ROWS_MAX, (long) (rowsPerSecond * plan.latencySeconds())));
    LatencyRound round =
        new LatencyRound(
            plan.partitions(),
            ground.options().stepSecondsMax(),
            ground.progress(),
            ground.clock());
    ground.progress().step("latency at half of the speed");
    return round.run(
        peer,
        ground.nextTable(),
        new LatencyRound.Pace(rowsPerSecond, (int) (rows / WARM_SHARE), (int) rows));
  }
}
