package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.OpenGroup;
import java.util.List;

/** What counts of a partition, or never will, in the order of its log. */
sealed interface LaneEvent {

  /** The partition. */
  int partition();

  /** A group of this node counts; the batches are those of its record and of the place. */
  record Counts(OpenGroup group, List<ChangeBatch> batches) implements LaneEvent {
    @Override
    public int partition() {
      return group.lane();
    }
  }

  /** No change of a group counts, or the outcome is unknown. */
  record Refused(OpenGroup group, RefusedException reason) implements LaneEvent {
    @Override
    public int partition() {
      return group.lane();
    }
  }

  /** A record that is not a group of this node changes what is known of the partition. */
  record Follows(int partition, List<ChangeBatch> batches) implements LaneEvent {}

  /** A control record counts, whichever node has appended the record. */
  record Said(int partition, long offset, AppendValue value) implements LaneEvent {}

  /** The log lacks what the replica has, or needs: the replica has to be rebuilt. */
  record Lost(int partition, String cause) implements LaneEvent {}
}
