package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas of partitions in worlds of three nodes, with and without failures and compaction. */
class ReplicasSimulationTest {

  private static final int SEEDS = 12;
  private static final long RETENTION = 300_000;

  /** A segment or two of many. */
  private static final long LOCAL_BYTES = 6_000;

  /** Less than what is possible between two steps of a node. */
  private static final long DELETIONS = 500_000;

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 15})
  void every_writer_is_told_the_truth_and_all_copies_agree(int failuresPercent) throws IOException {
    int repeated = 0;
    int inPart = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      NodesSimulation simulation = run(seed, failuresPercent, SimNode.Kept.ALL);
      repeated += simulation.writers.repeated;
      inPart += simulation.writers.inPart;
    }
    assertThat(repeated).as("batches that were answered again").isPositive();
    assertThat(inPart).as("batches of which a part counts").isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 15})
  void a_writer_whose_acknowledged_batch_is_lost_with_the_end_of_the_log_is_refused(
      int failuresPercent) throws IOException {
    int missing = 0;
    int ended = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      NodesSimulation simulation = new NodesSimulation(seed, failuresPercent, SimNode.Kept.ALL);
      simulation.losesEnds = true;
      simulation.run();
      missing += simulation.writers.missing;
      ended += simulation.writers.ended;
    }
    assertThat(missing).as("acknowledged batches that are missing").isPositive();
    assertThat(ended).as("writers that were refused").isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void a_compacted_log_gives_the_same_rows(int failuresPercent) throws IOException {
    for (long seed = 1; seed <= SEEDS; seed++) {
      run(seed, failuresPercent, new SimNode.Kept(RETENTION, NodesSimulation.FOREVER));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void a_copy_that_was_away_for_too_long_has_no_row_that_was_deleted(int failuresPercent)
      throws IOException {
    for (long seed = 1; seed <= SEEDS; seed++) {
      run(seed, failuresPercent, new SimNode.Kept(RETENTION, DELETIONS));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 15})
  void what_the_local_logs_have_no_more_is_read_from_the_shared_one(int failuresPercent)
      throws IOException {
    for (long seed = 1; seed <= SEEDS / 2; seed++) {
      NodesSimulation simulation =
          run(
              seed,
              failuresPercent,
              new SimNode.Kept(NodesSimulation.FOREVER, NodesSimulation.FOREVER, LOCAL_BYTES));
      for (SimNode node : simulation.nodes.subList(0, 3)) {
        assertThat(node.replicas.figures().historyReads()).isPositive();
      }
      assertThat(simulation.lost).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void what_the_shared_log_has_no_more_is_said_to_be_lost(int failuresPercent) throws IOException {
    int lost = 0;
    long reads = 0;
    for (long seed = 1; seed <= SEEDS / 2; seed++) {
      NodesSimulation simulation =
          run(
              seed,
              failuresPercent,
              new SimNode.Kept(RETENTION, NodesSimulation.FOREVER, LOCAL_BYTES));
      lost += simulation.lost;
      for (SimNode node : simulation.nodes.subList(0, 3)) {
        reads += node.replicas.figures().historyReads();
      }
    }
    assertThat(lost).isPositive();
    assertThat(reads).isPositive();
  }

  private static NodesSimulation run(long seed, int failuresPercent, SimNode.Kept kept) {
    try {
      NodesSimulation simulation = new NodesSimulation(seed, failuresPercent, kept);
      simulation.run();
      return simulation;
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + ", failures " + failuresPercent, e);
    }
  }
}
