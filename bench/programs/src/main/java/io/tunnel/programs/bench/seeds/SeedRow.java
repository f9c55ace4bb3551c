package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.seeds.Workload.Load;
import java.util.Map;
import java.util.Optional;

/**
 * One case: an operation on one load.
 *
 * @param operation the measured operation
 * @param load the clients, scaled
 * @param threads event loops; empty for the default
 * @param ours the figures of this service
 * @param peer the peer's figures; empty without a peer
 * @param published the document's figures
 */
record SeedRow(
    String operation,
    Load load,
    Optional<Integer> threads,
    Map<Figure, Double> ours,
    Optional<Map<Figure, Double>> peer,
    Map<Figure, Double> published) {

  /** Takes copies. */
  SeedRow {
    ours = Map.copyOf(ours);
    peer = peer.map(Map::copyOf);
    published = Map.copyOf(published);
  }
}
