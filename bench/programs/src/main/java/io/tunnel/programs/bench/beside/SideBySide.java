package io.tunnel.programs.bench.beside;

import io.tunnel.programs.bench.peer.CpuTimes;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.LatencyRound;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.peer.Peer;
import io.tunnel.programs.bench.peer.ReadRound;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.programs.bench.peer.TablePeer;
import io.tunnel.programs.bench.peer.TableRound;
import io.tunnel.programs.bench.peer.WriteRound;
import java.util.List;
import java.util.Optional;

/** The tests in their order; within a test, rounds alternate between the peers. */
public final class SideBySide {

  /** Three arrays of times are as long as that, which the command's heap of 1 GiB holds. */
  private static final int LATENCY_ROWS_MAX = 5_000_000;

  private static final int WARM_SECONDS_MAX = 2;
  private static final double IDLE_ROWS_PER_SECOND = 100;
  private static final int IDLE_WARM_ROWS = 50;

  private final BesidePlan plan;
  private final Stage stage;
  private final Done done;
  private int tables;

  /** Hears of each test when it is over. */
  @FunctionalInterface
  public interface Done {
    void test(String name, Rounds rounds);
  }

  /** Measures what is planned, as often as it is run. */
  public SideBySide(BesidePlan plan, Stage stage, Done done) {
    this.plan = plan;
    this.stage = stage;
    this.done = done;
  }

  /**
   * Who takes part.
   *
   * @param writers of the tests of writes
   * @param keepers peers of the tests of tables; empty without such tests
   * @param readers of the others
   */
  public record Peers(
      List<? extends Peer> writers,
      List<? extends TablePeer> keepers,
      List<? extends Peer> readers) {

    /** Takes copies. */
    public Peers {
      writers = List.copyOf(writers);
      keepers = List.copyOf(keepers);
      readers = List.copyOf(readers);
    }
  }

  /** Measures with tables of so many partitions. */
  public Rounds run(int partitions, Peers peers) throws Exception {
    Rounds rounds = new Rounds();
    CpuTimes.settle(peers.readers(), stage.clock());
    if (plan.parts().contains(Part.WRITE)) {
      write(partitions, peers.writers(), plan.rounds(), rounds);
    }
    if (plan.parts().contains(Part.TABLE)) {
      keep(partitions, peers.keepers(), rounds);
    }
    if (plan.parts().contains(Part.READ)) {
      read(partitions, peers.readers(), rounds);
    }
    if (plan.parts().contains(Part.LATENCY)) {
      latency(partitions, peers.readers(), rounds);
    }
    return rounds;
  }

  /**
   * Makes the rows of a round and throws them away, which is the share of a writer's cost that is
   * the benchmark's own, the same for every peer.
   *
   * @return microseconds of this process' CPU time for each row
   */
  public double makingMicrosPerRow(Peer anyone) throws Exception {
    stage.step("making rows");
    long warmUp = stage.load().generate(plan.rows());
    CpuTimes cpu = new CpuTimes(anyone);
    if (stage.load().generate(plan.rows()) != warmUp) {
      throw new IllegalStateException("the rows are not the same every time");
    }
    return cpu.clientMicrosPer(plan.rows());
  }

  private void write(int partitions, List<? extends Peer> peers, int count, Rounds rounds)
      throws Exception {
    WriteRound round = new WriteRound(stage.load(), partitions, stage.clock());
    run(
        partitions,
        Rounds.WRITE,
        Optional.of(peer -> round.run(peer, nextTable(), Math.max(1, plan.rows() / 2))),
        peer -> round.run(peer, nextTable(), plan.rows()),
        peers,
        count,
        rounds);
  }

  private <P extends Peer> void run(
      int partitions,
      String name,
      Optional<Experiment.Round<P>> warmUp,
      Experiment.Round<P> round,
      List<? extends P> peers,
      int count,
      Rounds rounds)
      throws Exception {
    new Experiment(stage::step, rounds)
        .run(new Experiment.Test<>(name, title(partitions) + name, warmUp, round), peers, count);
    done.test(name, rounds);
  }

  private void keep(int partitions, List<? extends TablePeer> peers, Rounds rounds)
      throws Exception {
    TableRound round =
        new TableRound(
            stage.load(), partitions, stage.stepSecondsMax(), stage.progress(), stage.clock());
    run(
        partitions,
        Rounds.TABLE,
        Optional.of(peer -> round.run(peer, nextTable(), Math.max(1, plan.rows() / 2))),
        peer -> round.run(peer, nextTable(), plan.rows()),
        peers,
        plan.rounds(),
        rounds);
  }

  private void read(int partitions, List<? extends Peer> peers, Rounds rounds) throws Exception {
    String table = nextTable();
    long amounts = 0;
    for (Peer peer : peers) {
      stage.step(title(partitions) + "rows to read, " + peer.name() + ", once");
      peer.create(table, partitions);
      CpuTimes.settle(List.of(peer), stage.clock());
      try (RowWriter writer = peer.openWriter(table)) {
        amounts = stage.load().write(writer, plan.rows());
      }
    }
    CpuTimes.settle(peers, stage.clock());
    for (Look look : plan.looks()) {
      read(partitions, peers, new Written(table, amounts), look, rounds);
    }
    for (Peer peer : peers) {
      peer.drop(table);
    }
    CpuTimes.settle(peers, stage.clock());
  }

  /** The sum of the integer attributes of all rows of a table. */
  private record Written(String table, long amounts) {}

  private void read(
      int partitions, List<? extends Peer> peers, Written written, Look look, Rounds rounds)
      throws Exception {
    ReadRound reading = new ReadRound(stage.stepSecondsMax(), stage.progress(), stage.clock());
    Experiment.Round<Peer> round =
        peer -> {
          Figures figures =
              reading.run(peer, written.table(), look, plan.rows(), written.amounts());
          CpuTimes.settle(peers, stage.clock());
          return figures;
        };
    run(partitions, Rounds.read(look), Optional.of(round), round, peers, plan.rounds(), rounds);
  }

  private void latency(int partitions, List<? extends Peer> peers, Rounds rounds) throws Exception {
    BesidePlan.LatencyPlan asked = plan.latency();
    long rate =
        asked.rowsPerSecond() > 0
            ? asked.rowsPerSecond()
            : halfOfTheSlower(partitions, peers, rounds);
    int rows = (int) Math.min(rate * asked.seconds(), LATENCY_ROWS_MAX);
    int warmRows =
        (int) Math.min(rate * Math.min(WARM_SECONDS_MAX, asked.seconds()), LATENCY_ROWS_MAX);
    latency(
        partitions,
        peers,
        Rounds.LATENCY_LOADED,
        new LatencyRound.Pace(rate, warmRows, rows),
        rounds);
    latency(
        partitions,
        peers,
        Rounds.LATENCY_IDLE,
        new LatencyRound.Pace(IDLE_ROWS_PER_SECOND, IDLE_WARM_ROWS, asked.idleRows()),
        rounds);
  }

  private void latency(
      int partitions,
      List<? extends Peer> peers,
      String name,
      LatencyRound.Pace pace,
      Rounds rounds)
      throws Exception {
    LatencyRound round =
        new LatencyRound(partitions, stage.stepSecondsMax(), stage.progress(), stage.clock());
    run(
        partitions,
        name,
        Optional.empty(),
        peer -> round.run(peer, nextTable(), pace),
        peers,
        plan.rounds(),
        rounds);
  }

  private long halfOfTheSlower(int partitions, List<? extends Peer> peers, Rounds rounds)
      throws Exception {
    List<? extends Peer> unknown =
        peers.stream().filter(peer -> Double.isNaN(writeRate(peer, rounds))).toList();
    if (!unknown.isEmpty()) {
      write(partitions, unknown, 1, rounds);
    }
    double slower = peers.stream().mapToDouble(peer -> writeRate(peer, rounds)).min().orElseThrow();
    return Math.max(1, (long) (slower / 2));
  }

  private static double writeRate(Peer peer, Rounds rounds) {
    return rounds.median(Rounds.WRITE, peer.name(), WriteRound.RATE);
  }

  private static String title(int partitions) {
    return partitions + (partitions == 1 ? " partition: " : " partitions: ");
  }

  private String nextTable() {
    tables++;
    return "t" + tables;
  }
}
