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
 * @param faults kinds of faults; at least one
 * @param isNode whether the server is a node of a cluster, whose Kafka is left alone
 * @param isSecured whether the server requires authentication
 * @param work an existing directory; the run makes a directory in it, and removes that at the end
 * @param history the file that records the operations of the clients
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
