package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.bench.seeds.process.LoadPeer;
import io.tunnel.programs.bench.seeds.queue.MessageCase.Way;
import io.tunnel.stress.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All ways of sending with as little as can be measured, on a real server. A case fails when a
 * message is missing, came twice or out of order.
 */
@Tag("proof-programs")
class QueueRunsTest {

  private static final List<String> WAYS =
      Stream.concat(Way.OF_QUEUES.stream(), Way.OF_TOPICS.stream()).toList();

  private final StringWriter err = new StringWriter();

  @TempDir Path directory;

  private static Workload workload(List<String> operations, String loads) {
    return WorkloadFile.parse(
        "q.json",
        "{\"seed\": \"q\", \"kind\": \"queue\", \"title\": \"t\", \"publishedOn\": \"p\","
            + " \"operations\": ["
            + operations.stream().map(each -> '"' + each + '"').collect(Collectors.joining(", "))
            + "], \"warmUpSeconds\": 0, \"seconds\": 1, \"loads\": ["
            + loads
            + "], \"columns\": [\"sentPerSecond\"]}");
  }

  private SeedsResult run(Workload workload, boolean hasPeers, List<LoadPeer> peers)
      throws Exception {
    SeedsCommand.Plan plan =
        new SeedsCommand.Plan(List.of(workload), 1, 20, hasPeers, Optional.empty(), peers);
    return new SeedsRun(plan, directory, new SystemClock(), new PrintWriter(err)).run(workload);
  }

  @Test
  void each_way_loses_nothing_and_repeats_nothing() throws Exception {
    SeedsResult result =
        run(
            workload(
                WAYS,
                "{\"senders\": 4, \"receivers\": 6, \"connections\": 3, \"queues\": 2,"
                    + " \"bytes\": 300},"
                    + "{\"senders\": 3, \"receivers\": 4, \"connections\": 2, \"topics\": 2,"
                    + " \"bytes\": 300}"),
            false,
            List.of());
    assertThat(result.rows()).extracting(SeedRow::operation).containsExactlyElementsOf(WAYS);
    assertThat(result.remarks()).isEmpty();
    for (SeedRow row : result.rows()) {
      assertThat(row.ours())
          .as(row.operation())
          .containsKeys(Figure.SENT_PER_SECOND, Figure.RECEIVED_PER_SECOND, Figure.RESIDENT_KIB);
      assertThat(row.peer()).isEmpty();
    }
  }

  @Test
  void a_broker_that_does_not_start_is_told_and_the_rest_goes_on() throws Exception {
    LoadPeer broken =
        new LoadPeer() {
          @Override
          public String kind() {
            return "queue";
          }

          @Override
          public String name() {
            return "a broker";
          }

          @Override
          public Servers start(Path own, int servers, int heapMib, List<Path> libraries)
              throws IOException {
            throw new IOException("no room");
          }
        };
    String load =
        "{\"senders\": 1, \"receivers\": 1, \"connections\": 1, \"queues\": 1, \"bytes\": 20}";
    SeedsResult result = run(workload(List.of("nP_nT"), load + "," + load), true, List.of(broken));
    assertThat(result.rows()).hasSize(2).allMatch(row -> row.peer().isEmpty());
    assertThat(result.remarks())
        .containsExactly(
            "No peer from the case of 1 sender, 1 receiver, 1 connection, 1 queue on: a broker"
                + " failed: no room");
    assertThat(err.toString()).contains("no room");
  }

  @Test
  void a_broker_that_was_not_built_is_told() throws Exception {
    String load =
        "{\"senders\": 1, \"receivers\": 1, \"connections\": 1, \"topics\": 1, \"bytes\": 20}";
    SeedsResult result = run(workload(List.of("P_D_T"), load), true, List.of());
    assertThat(result.remarks())
        .containsExactly(
            "No peer: Apache ActiveMQ Artemis is not here. The launcher of a source tree fetches"
                + " and builds it.");
  }
}
