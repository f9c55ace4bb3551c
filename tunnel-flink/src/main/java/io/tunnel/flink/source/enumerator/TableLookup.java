package io.tunnel.flink.source.enumerator;

import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import java.util.Optional;

/** What an enumerator asks the service for. One question at a time; it may wait. */
public interface TableLookup extends AutoCloseable {

  /** The table with its partitions. */
  TableInfo table();

  /** Where its partitions begin and end, and where they were at a moment. */
  TablePositions positions(Optional<Long> timeMs);

  /** The progress of a tunnel. */
  CheckpointSet checkpoints(String tunnel);

  @Override
  void close();
}
