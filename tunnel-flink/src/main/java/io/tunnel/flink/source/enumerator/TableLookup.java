package io.tunnel.flink.source.enumerator;

import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import java.util.Optional;

/** An enumerator's questions to the service. One call at a time; calls may block. */
public interface TableLookup extends AutoCloseable {

  /** The table with its partitions. */
  TableInfo table();

  /** The first and last positions of its partitions, and their positions at a moment. */
  TablePositions positions(Optional<Long> timeMs);

  /** The progress of a tunnel. */
  CheckpointSet checkpoints(String tunnel);

  @Override
  void close();
}
