package io.tunnel.server.net.delivery;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.channel.DeliveryPort;
import java.util.Optional;

/**
 * The changes of the partitions, and whether the positions of returning clients are still valid.
 */
record Positions(ChangeReader changes, Incarnations incarnations) {

  /** The position up to which this server can read a partition. */
  long last(int partition) {
    return changes.committed(partition);
  }

  /** The port of a client that is told the newest incarnation. */
  IncarnatedPort port(int partition, DeliveryPort connection) {
    return new IncarnatedPort(
        connection, incarnations.newest(partition), () -> incarnations.newest(partition));
  }

  /** Whether the client knows an incarnation that this server has not read yet. */
  boolean areBehind(int partition, KnownPosition known) {
    return incarnations
        .of(partition)
        .filter(history -> history.isBehind(known.incarnation()))
        .isPresent();
  }

  /**
   * The refusal of a client whose known position was given again; empty when the client may
   * continue.
   */
  Optional<RefusedException> replaced(int partition, KnownPosition known) {
    long shared =
        incarnations
            .of(partition)
            .map(history -> history.sharedUpTo(known.incarnation()))
            .orElse(Long.MAX_VALUE);
    long last = Math.min(shared, last(partition));
    return known.position() <= last
        ? Optional.empty()
        : Optional.of(
            new RefusedException(
                ErrorCode.POSITION_REPLACED,
                "changes of partition "
                    + partition
                    + " up to position "
                    + known.position()
                    + " were read, and those behind "
                    + last
                    + " were lost since, or are not known to be there: their positions are given"
                    + " to other changes, which would be skipped (incarnation "
                    + known.incarnation()
                    + ")"));
  }

  /** The refusal of a position that the log does not have yet. */
  Optional<RefusedException> missing(int partition, long position) {
    long last = last(partition);
    return position <= last
        ? Optional.empty()
        : Optional.of(
            new RefusedException(
                ErrorCode.INVALID_POSITION,
                "there is no position "
                    + position
                    + " to go on behind; the newest of partition "
                    + partition
                    + " is "
                    + last));
  }
}
