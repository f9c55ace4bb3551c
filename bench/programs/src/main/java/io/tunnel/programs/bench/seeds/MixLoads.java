package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.seeds.Workload.Load;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads workloads whose operations have several requests on rows. */
final class MixLoads {

  static final String STEPS = "steps";
  static final String ROWS_BEFORE = "rowsBefore";
  static final int ROWS_MAX = 10_000_000;

  private static final int STEPS_MAX = 32;
  private static final int BYTES_MAX = 64 * 1024;
  private static final String CLIENTS = "clients";
  private static final String BYTES = "bytes";

  private MixLoads() {}

  /** The name of an operation. */
  static String operation(JsonPlace place) {
    String name = place.text();
    if (!name.matches("[a-z][A-Za-z]{0,31}")) {
      throw place.wrong("is 1 to 32 letters, the first a small one, not '" + name + "'");
    }
    return name;
  }

  /** The requests of each operation. */
  static Map<String, List<MixStep>> steps(List<String> operations, JsonPlace place) {
    JsonPlace all = place.object(Set.copyOf(operations));
    Map<String, List<MixStep>> steps = new LinkedHashMap<>();
    for (String operation : operations) {
      JsonPlace one = all.member(operation);
      List<MixStep> listed =
          one.list(1, STEPS_MAX, each -> each.oneOf(List.of(MixStep.values()), MixStep::word));
      try {
        var unused = MixRequests.rowsOf(listed);
      } catch (IllegalArgumentException e) {
        throw one.wrong("is no operation: " + e.getMessage());
      }
      steps.put(operation, listed);
    }
    return steps;
  }

  /** Clients, and the rows that they find. */
  static Load load(JsonPlace place) {
    JsonPlace load = place.object(Set.of(CLIENTS, BYTES, ROWS_BEFORE));
    return new Load(
        load.member(CLIENTS).whole(1, WorkloadFile.CLIENTS_MAX),
        load.member(BYTES).whole(1, BYTES_MAX),
        0,
        0,
        Optional.of(load.member(ROWS_BEFORE).whole(1, ROWS_MAX)),
        Optional.empty());
  }

  /** The requests of all operations, for people. */
  static String words(Workload workload) {
    return workload.operations().stream()
        .map(
            operation ->
                operation
                    + " "
                    + workload.steps().get(operation).stream()
                        .map(MixStep::word)
                        .collect(Collectors.joining(" ")))
        .collect(Collectors.joining(", "));
  }
}
