package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.stress.SystemClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessSideTest {

  private static final Workload SESSIONS =
      WorkloadFile.parse(
          "a.json",
          "{\"seed\": \"a\", \"kind\": \"access\", \"title\": \"t\", \"publishedOn\": \"p\","
              + " \"operations\": [\"inProcess\"], \"warmUpSeconds\": 1, \"seconds\": 60,"
              + " \"loads\": [{\"clients\": 3, \"bytes\": 50}], \"columns\": [\"perSecond\"]}");

  @TempDir Path directory;

  @Test
  void a_path_that_has_used_up_the_local_ports_ends_before_its_time() throws Exception {
    List<String> remarks = new ArrayList<>();
    Map<String, Map<Figure, Double>> figures =
        new AccessSide(new SystemClock(), 50, remarks::add)
            .own(SESSIONS, SESSIONS.loads().get(0), Optional.empty(), directory);
    assertThat(remarks)
        .containsExactly(
            "Seed a, inProcess of 3 users ended after 40 operations, before its 60 s: each"
                + " connection keeps a local port for a minute.");
    assertThat(figures.get("inProcess").get(Figure.PER_SECOND)).isGreaterThan(40.0 / 60);
  }
}
