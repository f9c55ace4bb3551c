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
 * @param nodes number of nodes of a cluster; 0 for a server that is alone. The Kafka of a single
 *     node has one broker, which is left alone; several nodes have three brokers
 * @param isSecured whether the server requires authentication
 * @param work an existing directory; the run makes a directory in it, and removes that at the end
 * @param history the file that records the operations of the clients
 */
record TorturePlan(
    long durationNanos,
    long seed,
    Set<Fault> faults,
    int nodes,
    boolean isSecured,
    Path work,
    Optional<Path> history) {

  TorturePlan {
    faults = Collections.unmodifiableSet(EnumSet.copyOf(faults));
  }

  /** Whether the servers are nodes of a cluster. */
  boolean isNode() {
    return nodes > 0;
  }

  /** Whether there are several nodes and brokers. */
  boolean isCluster() {
    return nodes > 1;
  }

  /** Whether a fault needs a disk whose power can be cut, and this machine can have one. */
  boolean hasDisks() {
    return faults.stream().anyMatch(Fault::needsDisk) && PowerDisk.lack().isEmpty();
  }
}
