package io.tunnel.programs.torture;

import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * What is asked for.
 *
 * @param durationNanos after which no further round begins
 * @param faults kinds of faults, of which there is at least one
 * @param isNode whether the server is a node of a cluster, whose Kafka is left alone
 * @param isSecured whether the server asks everybody who they are
 * @param work an existing directory in which another one is made, and removed at the end
 * @param history where what clients did is recorded
 */
record TorturePlan(
    long durationNanos,
    long seed,
    Set<Fault> faults,
    boolean isNode,
    boolean isSecured,
    Path work,
    Optional<Path> history) {

  TorturePlan {
    faults = Collections.unmodifiableSet(EnumSet.copyOf(faults));
  }
}
