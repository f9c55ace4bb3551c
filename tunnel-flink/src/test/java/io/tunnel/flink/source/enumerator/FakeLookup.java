package io.tunnel.flink.source.enumerator;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.PartitionPositions;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.table.TablePositions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A service in a test's memory; its log of partition p reaches from behind {@link #earliest} to 10
 * * p.
 */
final class FakeLookup implements TableLookup {

  int tableId = 3;
  long earliest = 1;
  boolean isDropped;
  boolean isClosed;
  Optional<CheckpointSet> progress = Optional.empty();
  final List<Optional<Long>> asked = new ArrayList<>();
  private final List<PartitionInfo> partitions = new ArrayList<>();

  void add(int partition, Integer... parents) {
    partitions.add(
        new PartitionInfo(
            partition,
            Optional.empty(),
            Optional.empty(),
            List.of(parents),
            Optional.empty(),
            Optional.empty()));
  }

  @Override
  public TableInfo table() {
    if (isDropped) {
      throw new RefusedException(ErrorCode.TABLE_NOT_FOUND, "there is no table t");
    }
    return new TableInfo(
        tableId,
        new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))),
        0,
        partitions);
  }

  /** Of all positions. */
  Optional<Long> incarnation = Optional.empty();

  @Override
  public TablePositions positions(Optional<Long> timeMs) {
    asked.add(timeMs);
    return new TablePositions(
        tableId,
        partitions.stream()
            .map(
                partition ->
                    new PartitionPositions(
                        partition.id(),
                        earliest,
                        partition.id() * 10L,
                        timeMs.map(ms -> 5L),
                        incarnation))
            .toList(),
        0);
  }

  @Override
  public CheckpointSet checkpoints(String tunnel) {
    return progress.orElseThrow();
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
