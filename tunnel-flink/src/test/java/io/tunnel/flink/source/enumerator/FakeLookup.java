package io.tunnel.flink.source.enumerator;

import io.tunnel.model.Bytes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.PrimaryKeyType;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.wire.Control.PartitionDescription;
import io.tunnel.wire.Control.TableDescription;
import io.tunnel.wire.OperatorControl.CheckpointSet;
import io.tunnel.wire.PartitionControl.FoundPositions;
import io.tunnel.wire.PartitionControl.Positions;
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
  private final List<PartitionDescription> partitions = new ArrayList<>();

  void add(int partition, Integer... parents) {
    partitions.add(
        new PartitionDescription(
            partition, Bytes.EMPTY, Bytes.EMPTY, List.of(parents), 0, true, 0, 0, 2, 10));
  }

  @Override
  public TableDescription table() {
    if (isDropped) {
      throw new RefusedException(ErrorCode.TABLE_NOT_FOUND, "there is no table t");
    }
    return new TableDescription(
        tableId,
        new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))),
        0,
        partitions);
  }

  /** Of all positions. */
  Optional<Long> incarnation = Optional.empty();

  @Override
  public FoundPositions positions(Optional<Long> timeMs) {
    asked.add(timeMs);
    return new FoundPositions(
        tableId,
        partitions.stream()
            .map(
                partition ->
                    new Positions(
                        partition.id(),
                        earliest,
                        partition.id() * 10L,
                        timeMs.map(ms -> 5L),
                        incarnation))
            .toList());
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
