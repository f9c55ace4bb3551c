package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.seeds.Workload.Load;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** One side of a comparison: starts a server for a case, and measures all its operations. */
@FunctionalInterface
interface Beside {

  /**
   * Measures.
   *
   * @param directory for the server's files; is made
   * @param threads event loops of the server; empty for the default
   * @return figures by operation
   */
  Map<String, Map<Figure, Double>> measure(
      Workload workload, Load load, Optional<Integer> threads, Path directory) throws Exception;
}
