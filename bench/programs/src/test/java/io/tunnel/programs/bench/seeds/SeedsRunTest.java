package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.stress.SystemClock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SeedsRunTest {

  private static final String SLOW =
      "{\"seed\": \"m\", \"kind\": \"mix\", \"title\": \"t\", \"operations\": [\"slow\"],"
          + " \"steps\": {\"slow\": [\"put\"]}, \"warmUpSeconds\": 0, \"seconds\": 2,"
          + " \"loads\": [{\"clients\": 300, \"bytes\": 8, \"rowsBefore\": 1}],"
          + " \"columns\": [\"perSecond\", \"averageMs\"]}";

  private final StringWriter err = new StringWriter();

  private SeedsResult run(Map<Figure, Double> figures) throws Exception {
    Workload workload = WorkloadFile.parse("m.json", SLOW);
    SeedsCommand.Plan plan =
        new SeedsCommand.Plan(List.of(workload), 1, 1, false, Optional.empty(), List.of());
    Beside side = (what, load, threads, directory) -> Map.of("slow", figures);
    return new SeedsRun(
            plan,
            Path.of("nowhere"),
            new SystemClock(),
            new PrintWriter(err),
            (kind, remarks) -> side)
        .run(workload);
  }

  @Test
  void fewer_answers_than_clients_are_remarked() throws Exception {
    SeedsResult none = run(Map.of(Figure.PER_SECOND, 0.0));
    assertThat(none.remarks())
        .containsExactly(
            "Seed m, slow of 300 clients: 0 answers within 2 s. Clients that still waited are not in"
                + " the figures; more seconds would count them.");
    assertThat(err.toString()).contains("slow without an answer").doesNotContain("NaN");
    assertThat(run(Map.of(Figure.PER_SECOND, 149.0, Figure.AVERAGE_MS, 1.0)).remarks())
        .singleElement()
        .asString()
        .contains("298 answers");
    assertThat(run(Map.of(Figure.PER_SECOND, 150.0, Figure.AVERAGE_MS, 1.0)).remarks()).isEmpty();
  }
}
