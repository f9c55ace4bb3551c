package io.tunnel.server.net.delivery;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.channel.DeliveryPort;
import java.util.Optional;

/** The changes that are read, and what their positions mean to those who come back. */
record Positions(ChangeReader changes, Incarnations incarnations) {

  /** The position up to which everything of a partition can be read here. */
  long settled(int partition) {
    return changes.settled(partition);
  }

  /** Delivers to somebody who is told the incarnation that is the newest now. */
  IncarnatedPort port(int partition, DeliveryPort connection) {
    return new IncarnatedPort(
        connection, incarnations.newest(partition), () -> incarnations.newest(partition));
  }

  /** Whether what is known is of an incarnation that this server has not read up to. */
  boolean areBehind(int partition, KnownPosition known) {
    return incarnations
        .of(partition)
        .filter(history -> history.isBehind(known.incarnation()))
        .isPresent();
  }

  /** Why who knows that much cannot read on, if so. */
  Optional<RefusedException> replaced(int partition, KnownPosition known) {
    long shared =
        incarnations
            .of(partition)
            .map(history -> history.sharedUpTo(known.incarnation()))
            .orElse(Long.MAX_VALUE);
    long last = Math.min(shared, settled(partition));
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

  /** Why nobody can go on behind a position of changes, if there is none yet. */
  Optional<RefusedException> missing(int partition, long position) {
    long settled = settled(partition);
    return position <= settled
        ? Optional.empty()
        : Optional.of(
            new RefusedException(
                ErrorCode.INVALID_POSITION,
                "there is no position "
                    + position
                    + " to go on behind; the newest of partition "
                    + partition
                    + " is "
                    + settled));
  }
}
