package io.tunnel.programs.bench;

import io.tunnel.model.Durability;
import io.tunnel.programs.bench.beside.Experiment;
import io.tunnel.programs.bench.beside.Rounds;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.LatencyRound;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.peer.Peer;
import io.tunnel.programs.bench.peer.ReadRound;
import io.tunnel.programs.bench.peer.RowLoad;
import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.programs.bench.peer.WriteRound;
import io.tunnel.programs.bench.report.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
  private final Rounds rounds = new Rounds();
  private final Experiment experiment;

  /** What is measured. */
  record Plan(long rows, int partitions, int rounds, int latencySeconds) {}

  /** What was measured, a list a kind, an element a round. */
  record Measured(
      List<Figures> writesOs,
      List<Figures> writesFsync,
      List<List<Figures>> readsByLook,
      Figures latency) {}

  QuickBench(Ground ground, Plan plan) {
    this.ground = ground;
    this.plan = plan;
    this.load = ground.load(RowPlan.DEFAULT);
    this.experiment = new Experiment(ground.progress()::step, rounds);
  }

  Report run() throws Exception {
    Peer os = ground.peer(Durability.OS);
    Peer fsync = ground.peer(Durability.FSYNC);
    ground.settle();
    WriteRound writing = new WriteRound(load, plan.partitions(), ground.clock());
    Experiment.Test<Peer> writes =
        new Experiment.Test<>(
            Rounds.WRITE,
            Rounds.WRITE,
            Optional.of(
                peer -> writing.run(peer, ground.nextTable(), Math.max(1, plan.rows() / 2))),
            peer -> writing.run(peer, ground.nextTable(), plan.rows()));
    experiment.run(writes, List.of(os), 0);
    experiment.run(writes.warm(), List.of(os, fsync), plan.rounds());
    List<Figures> writesOs = rounds.byPeer(Rounds.WRITE).get(os.name());
    List<Figures> writesFsync = rounds.byPeer(Rounds.WRITE).get(fsync.name());
    List<List<Figures>> reads = reads(os);
    double half = Math.max(1, Figures.medians(writesOs).get("rows/s") / 2);
    return QuickReport.of(
        plan, new Measured(writesOs, writesFsync, reads, latency(os, half)), half);
  }

  private List<List<Figures>> reads(Peer peer) throws Exception {
    String table = ground.nextTable();
    ground.progress().step("rows to read");
    peer.create(table, plan.partitions());
    long amounts = write(peer, table);
    ground.settle();
    ReadRound reading =
        new ReadRound(ground.options().stepSecondsMax(), ground.progress(), ground.clock());
    List<List<Figures>> byLook = new ArrayList<>();
    for (Look look : LOOKS) {
      String name = Rounds.read(look);
      Experiment.Round<Peer> round = each -> reading.run(each, table, look, plan.rows(), amounts);
      experiment.run(
          new Experiment.Test<>(name, name, Optional.of(round), round),
          List.of(peer),
          plan.rounds());
      byLook.add(rounds.byPeer(name).get(peer.name()));
    }
    peer.drop(table);
    ground.settle();
    return byLook;
  }

  private long write(Peer peer, String table) throws Exception {
    try (RowWriter writer = peer.openWriter(table)) {
      return load.write(writer, plan.rows());
    }
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
