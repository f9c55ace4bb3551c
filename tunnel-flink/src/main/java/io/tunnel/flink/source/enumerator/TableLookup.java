package io.tunnel.flink.source.enumerator;

import io.tunnel.wire.Control.TableDescription;
import io.tunnel.wire.OperatorControl.CheckpointSet;
import io.tunnel.wire.PartitionControl.FoundPositions;
import java.util.Optional;

/** What an enumerator asks the service for. One question at a time; it may wait. */
public interface TableLookup extends AutoCloseable {

  /** The table with its partitions. */
  TableDescription table();

  /** Where its partitions begin and end, and where they were at a moment. */
  FoundPositions positions(Optional<Long> timeMs);

  /** The progress of a tunnel. */
  CheckpointSet checkpoints(String tunnel);

  @Override
  void close();
}
