package io.tunnel.server.replica.append;

import io.tunnel.server.replica.ReadIndex;
import java.util.Optional;
import java.util.OptionalLong;

/** A replica of a {@link LaneKeeper}. For the shard's thread, but for the view. */
final class KeptLane {
  final int partition;
  final SharedLane lane;
  final ReadIndex strict = new ReadIndex();
  LaneKeeper.Target target = LaneKeeper.Target.FOLLOW;
  OptionalLong startEnd = OptionalLong.empty();

  /** Told apart from every other lane of the keeper. */
  final long number;

  Optional<LaneView.Named> named = Optional.empty();
  long end;
  long askedNanos;

  /**
   * What is wrong with the topics, so that the replica must not lead; empty while they are right.
   */
  Optional<String> barred = Optional.empty();

  /** The led epoch for which the shard folds what is before its marker. */
  OptionalLong awaited = OptionalLong.empty();

  volatile LaneView view;

  /** The local log has the changes from this position on, beyond those of an earlier replica. */
  final long begun;

  KeptLane(int partition, SharedLane lane, long number) {
    this.partition = partition;
    this.lane = lane;
    this.number = number;
    this.begun = lane.state().follow().position();
  }
}
